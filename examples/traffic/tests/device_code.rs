//! The example's device code: assembled for every architecture, without spills.
#![allow(missing_docs, reason = "a test, not a library")]

use std::path::Path;

use ikra_build::{ptx, ptxas};

#[test]
fn every_architecture_takes_it_without_spills() {
    let is_required = std::env::var_os("IKRA_REQUIRE_DEVICE_CODE").is_some();
    let Some(path) = option_env!("IKRA_DEVICE_CODE").map(Path::new) else {
        assert!(!is_required, "there is no compiler for the device");
        println!("SKIPPED: there is no compiler for the device");
        return;
    };
    let kernels = ptx::kernels(&std::fs::read_to_string(path).unwrap());
    for wanted in ["Controller_control", "Car_plan", "Car_drive", "Car_speed", "Clock_advance"] {
        let name = format!("ikra_kernel_{wanted}_");
        assert!(kernels.iter().any(|kernel| kernel.name.starts_with(&name)), "{wanted}");
    }
    let Some(ptxas) = ptxas::find() else {
        assert!(!is_required, "there is no ptxas");
        println!("SKIPPED: there is no ptxas");
        return;
    };
    for architecture in ["sm_75", "sm_80", "sm_90", "sm_100"] {
        for usage in ptxas::assemble(&ptxas, path, architecture).unwrap() {
            assert_eq!(usage.spill_bytes, 0, "{usage:?} on {architecture}");
        }
    }
}
