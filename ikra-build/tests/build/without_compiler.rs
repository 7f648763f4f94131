//! Builds without a compiler for the device, or that are not to use it.

use std::fs;

use crate::program::{Program, fixture, has_compiler};

const NO_COMPILER: (&str, &str) = ("IKRA_RUSTC", "none");

#[test]
fn one_warning_says_what_to_install() {
    let program = Program::new("bare", "device(\"src/model.rs\")");
    let built = program.run(&[NO_COMPILER]).expect_success();
    assert_eq!(built.printed, "none");
    let warnings = built.warnings();
    assert_eq!(warnings.len(), 1, "{}", built.messages);
    assert!(warnings[0].contains("none does not run") && warnings[0].contains("rustup target add"), "{warnings:?}");
    let again = program.run(&[NO_COMPILER]).expect_success();
    assert!(!again.messages.contains("Compiling"), "{}", again.messages);
    if has_compiler() {
        program.code(&[]);
    }
}

#[test]
fn a_compiler_that_appears_is_used() {
    if !has_compiler() {
        return;
    }
    let toolchain = ikra_build::find_toolchain().unwrap();
    let program = Program::new("appears", "device(\"src/model.rs\")");
    // A sysroot as rustup makes them, with a list of installed components.
    let sysroot = program.path("sysroot");
    program.write("sysroot/lib/rustlib/components", "rustc\n");
    program.write(
        "sysroot/bin/rustc",
        &format!(
            "#!/bin/sh\ncase \"$*\" in *sysroot*) echo '{}';; *) exec '{}' \"$@\";; esac\n",
            sysroot.display(),
            toolchain.rustc.display()
        ),
    );
    program.write("sysroot/bin/cargo", &format!("#!/bin/sh\nexec '{}' \"$@\"\n", toolchain.cargo.display()));
    make_executable(&program, &["sysroot/bin/rustc", "sysroot/bin/cargo"]);
    let rustc = program.path("sysroot/bin/rustc");
    let variables = [("IKRA_RUSTC", rustc.to_str().unwrap())];
    assert_eq!(program.run(&variables).expect_success().printed, "none");
    program.write("sysroot/bin/rustc", &format!("#!/bin/sh\nexec '{}' \"$@\"\n", toolchain.rustc.display()));
    make_executable(&program, &["sysroot/bin/rustc"]);
    program.write("sysroot/lib/rustlib/components", "rustc\nrust-src\n");
    program.code(&variables);
}

#[cfg(unix)]
fn make_executable(program: &Program, files: &[&str]) {
    use std::os::unix::fs::PermissionsExt;
    for file in files {
        fs::set_permissions(program.path(file), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn nothing_is_made_where_it_is_not_wanted() {
    let program = Program::new("skipping", "device(\"src/model.rs\")");
    for variables in [("IKRA_SKIP_DEVICE", "1"), ("DOCS_RS", "1")] {
        let built = program.run(&[variables]).expect_success();
        assert_eq!((built.printed.as_str(), built.warnings().len()), ("none", 0), "{}", built.messages);
    }
    if has_compiler() {
        program.code(&[("IKRA_SKIP_DEVICE", "0")]);
    }
}

#[cfg(unix)]
#[test]
fn an_analysis_makes_no_code_and_takes_none_away() {
    let program = Program::new("analysed", "device(\"src/model.rs\")");
    program.write("clippy-driver", "#!/bin/sh\nexec \"$@\"\n");
    make_executable(&program, &["clippy-driver"]);
    let driver = program.path("clippy-driver");
    let analyse = || program.run(&[("RUSTC_WORKSPACE_WRAPPER", driver.to_str().unwrap())]).expect_success().printed;
    assert_eq!(analyse(), "none");
    if has_compiler() {
        program.code(&[]);
        assert_eq!(analyse(), "none");
        program.code(&[]);
    }
}

#[test]
fn code_beside_the_model_stands_in_for_a_compiler() {
    if !has_compiler() {
        return;
    }
    let program = Program::new("prebuilt", "Device::new(\"src/model.rs\").prebuilt(\"src/model.ptx\").build()");
    let first = program.run(&[]).expect_success();
    let [warning] = first.warnings()[..] else { panic!("{}", first.messages) };
    assert!(warning.contains("IKRA_WRITE_PREBUILT=1 writes it"), "{warning}");
    assert!(!program.path("src/model.ptx").exists(), "sources are written on demand only");

    program.run(&[("IKRA_WRITE_PREBUILT", "1")]).expect_success();
    assert!(program.run(&[]).expect_success().warnings().is_empty());
    let used = program.run(&[NO_COMPILER]).expect_success();
    assert!(used.warnings().is_empty(), "{}", used.messages);
    assert!(used.printed.ends_with("src/model.ptx"), "{}", used.printed);
    assert_eq!(ikra_build::ptx::kernels(&fs::read_to_string(&used.printed).unwrap()).len(), 5);

    // Code of another model would be handed columns that it does not know.
    program.write("src/model.rs", &format!("// Changed.\n{}", fixture("src/model.rs")));
    let refused = program.run(&[NO_COMPILER]).expect_success();
    assert_eq!(refused.printed, "none");
    let [warning] = refused.warnings()[..] else { panic!("{}", refused.messages) };
    assert!(warning.contains("src/model.ptx was made before src/model.rs changed"), "{warning}");

    // Another file, by the variable.
    program.run(&[("IKRA_WRITE_PREBUILT", "1"), ("IKRA_PREBUILT_PTX", "other.ptx")]).expect_success();
    let used = program.run(&[NO_COMPILER, ("IKRA_PREBUILT_PTX", "other.ptx")]).expect_success();
    assert!(used.printed.ends_with("other.ptx"), "{}", used.printed);
}
