//! Loops of kernels as one kernel: all kernels that can be recorded fit, and the assembler takes the result.

use ikra_build::ptxas;
use ikra_ptx::Module;
use ikra_ptx::repeat::{Iteration, Launch, repeated, repeated_over};
use ikra_ptx_tests::code;
use ikra_test_gpu::device_code::has_assembler;

/// A function that reports panics.
fn reports_panics(name: &str) -> bool {
    name == "ikra_failing" || name.contains("8ikra_gpu6device5panic")
}

#[test]
fn every_kernel_can_be_repeated() {
    let Some(code) = code() else { return };
    let module = Module::parse(&code.text).unwrap();
    for kernel in module.kernels() {
        let made = repeated(&module, &[&kernel.name], 2, "resident", &reports_panics);
        let made = made.unwrap_or_else(|refused| panic!("{}: {refused}", kernel.name));
        let text = made.module.to_string();
        assert!(!text.contains("ld.global.nc"), "{text}");
        assert_eq!(Module::parse(&text).unwrap().to_string(), text);
    }
}

/// Kernels for each object can run for a worklist: they load the number of objects, and nothing else is done with it.
#[test]
fn every_kernel_for_each_object_can_have_a_worklist() {
    let Some(code) = code() else { return };
    let module = Module::parse(&code.text).unwrap();
    let mut count = 0;
    for kernel in module.kernels().filter(|kernel| kernel.name.starts_with("ikra_kernel_")) {
        let is_plain = kernel.parameters.get(1).is_some_and(|end| end.bytes() == 4);
        if !is_plain || kernel.name.contains("_born") {
            continue;
        }
        let launches = [Some(1), None].map(|length| Launch { kernel: &kernel.name, length, reach: None });
        let iteration = Iteration { launches: &launches, has_list: true, alternating: 3, test: None };
        let made = repeated_over(&module, &iteration, "resident", &reports_panics);
        let text = made.unwrap_or_else(|refused| panic!("{}: {refused}", kernel.name)).module.to_string();
        assert!(text.contains(", %length;"), "{text}");
        assert_eq!(Module::parse(&text).unwrap().to_string(), text);
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[test]
fn the_assembler_takes_loops_of_kernels() {
    let Some(code) = code() else { return };
    if !has_assembler() {
        return;
    }
    let module = Module::parse(&code.text).unwrap();
    let of_model = |name: &&str| name.starts_with("ikra_kernel_") && !name.contains("_born");
    let names: Vec<&str> = module.kernels().map(|kernel| kernel.name.as_str()).filter(of_model).collect();
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("resident.ptx");
    for group in names.chunks(3).step_by(15) {
        let made = repeated(&module, group, 1, "resident", &reports_panics).unwrap();
        std::fs::write(&path, made.module.to_string()).unwrap();
        let usages = ptxas::assemble(&ptxas::find().unwrap(), &path, "sm_90").unwrap_or_else(|error| panic!("{error}"));
        let usage = usages.iter().find(|usage| usage.kernel == "resident");
        assert!(usage.is_some_and(|usage| usage.spill_bytes == 0), "{group:?}: {usages:?}");
    }
}
