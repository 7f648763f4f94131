//! Models that do not compile for the device, and the messages that users read.

use crate::program::{Program, has_compiler};

fn fails(name: &str, model: &str) -> (Program, String) {
    let program = Program::new(name, "device(\"src/model.rs\")");
    program.write("src/model.rs", model);
    let messages = program.run(&[]).expect_failure().messages;
    assert!(messages.contains("the model does not compile for the device") || messages.contains("device code"));
    assert!(!messages.contains("ikra_device_"), "of a crate that the user has not written: {messages}");
    assert!(!messages.contains("panicked"), "{messages}");
    (program, messages)
}

#[test]
fn an_error_is_shown_once_in_its_place() {
    if !has_compiler() {
        return;
    }
    let (program, messages) = fails("erring", "pub fn first() {}\n\npub fn count() -> u32 {\n    \"many\"\n}\n");
    assert_eq!(messages.matches("mismatched types").count(), 1, "{messages}");
    assert_eq!(messages.matches("src/model.rs:4:5").count(), 1, "{messages}");
    assert!(!messages.contains("warning:"), "about a crate that is not the user's: {messages}");
    // It is looked at again, and passes when it is right.
    assert_eq!(program.run(&[]).expect_failure().messages.matches("mismatched types").count(), 1);
    program.write("src/model.rs", "ikra::kernel! { fn nothing(x: *mut f32) { let _ = x; } }\n");
    assert_eq!(ikra_build::ptx::kernels(&program.code(&[])).len(), 1);
}

#[test]
fn what_only_the_host_has_is_an_error() {
    if !has_compiler() {
        return;
    }
    let (_, messages) = fails("hosted", "pub fn many() -> Vec<u32> {\n    std::vec::Vec::new()\n}\n");
    assert!(messages.contains("src/model.rs:2:5"), "{messages}");
}

#[test]
fn a_function_that_does_not_exist_is_named() {
    if !has_compiler() {
        return;
    }
    let (_, messages) = fails(
        "unresolved",
        "#[cfg(target_arch = \"nvptx64\")]
unsafe extern \"C\" { fn nowhere(x: *mut f32); }
#[cfg(not(target_arch = \"nvptx64\"))]
unsafe fn nowhere(_: *mut f32) {}
ikra::kernel! { fn call(x: *mut f32) { unsafe { nowhere(x) } } }
",
    );
    assert!(messages.contains("the device code calls `nowhere`, which does not exist on the device"), "{messages}");
}

#[test]
fn an_abort_of_the_code_generator_becomes_a_sentence() {
    if !has_compiler() {
        return;
    }
    let (_, messages) =
        fails("aborting", "ikra::kernel! { fn swing(x: *mut f32) { unsafe { *x = ikra::sin(*x) } } }\n");
    assert!(messages.contains("use that of `ikra::math`"), "{messages}");
    assert!(messages.contains("swing"), "{messages}");
}

#[test]
fn slow_memory_is_warned_about() {
    if !has_compiler() {
        return;
    }
    let program = Program::new("local", "device(\"src/model.rs\")");
    program.write(
        "src/model.rs",
        "ikra::kernel! {
    fn pick(values: *mut [u32; 32], order: *const [usize; 32], out: *mut u32) {
        let mut own = [0; 32];
        for n in 0..32 {
            unsafe { own[(*order)[n] & 31] = (*values)[n] };
        }
        unsafe { *out = own[(*order)[7] & 31] }
    }
}
",
    );
    let built = program.run(&[]).expect_success();
    let [warning] = built.warnings()[..] else { panic!("{}", built.messages) };
    assert!(warning.contains("kernel pick keeps 128 bytes per thread in slow local memory"), "{warning}");
}

#[test]
fn a_missing_model_is_named() {
    let program = Program::new("missing", "device(\"src/modle.rs\")");
    let messages = program.run(&[]).expect_failure().messages;
    assert!(messages.contains("there is no model at") && messages.contains("src/modle.rs"), "{messages}");
}

#[test]
fn a_second_model_is_refused() {
    let program = Program::new("twice", "device(\"src/model.rs\"); device(\"src/model.rs\")");
    let messages = program.run(&[("IKRA_SKIP_DEVICE", "1")]).expect_failure().messages;
    assert!(messages.contains("a package has one model"), "{messages}");
}
