//! All kernels are present, and NVIDIA's assembler accepts them without spills.

use ikra_build::ptxas;
use ikra_ptx_tests::{code, usages};
use ikra_test_gpu::device_code::{architectures, has_assembler};

#[test]
fn every_kernel_is_there() {
    let Some(code) = code() else { return };
    let names: Vec<_> = code.kernels.iter().map(|kernel| &kernel.name).collect();
    for wanted in [
        "ikra_kernel_Growing_change_",
        "ikra_kernel_Tiled_spawn_",
        "ikra_kernel_Rows_meet_",
        "ikra_kernel_Body_age_of_",
    ] {
        assert!(names.iter().any(|name| name.starts_with(wanted)), "{wanted} is not among {names:?}");
    }
    assert!(names.iter().any(|name| name.starts_with("ikra_kernel_Fixed_weight_") && name.ends_with("_reduce2")));
}

#[test]
fn every_architecture_takes_it() {
    let Some(code) = code() else { return };
    if !has_assembler() {
        return;
    }
    let check = |architecture: &str| {
        let own;
        let usages = match usages(code) {
            Some(usages) if architecture == "sm_90" => usages,
            _ => {
                own = ptxas::assemble(&ptxas::find().unwrap(), code.path, architecture).unwrap();
                &own[..]
            }
        };
        assert!(usages.len() > 50, "{}", usages.len());
        for usage in usages {
            assert_eq!(usage.spill_bytes, 0, "{usage:?} on {architecture}");
        }
    };
    std::thread::scope(|scope| {
        for architecture in architectures() {
            scope.spawn(move || check(architecture));
        }
    });
}
