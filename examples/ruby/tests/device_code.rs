//! The example's device code: assembled, without spills.
#![allow(missing_docs, reason = "a test, not a library")]

#[test]
fn every_architecture_takes_it_without_spills() {
    let kernels = ["Car_tick", "Bus_tick", "Pedestrian_tick"];
    ikra_test_gpu::device_code::check(option_env!("IKRA_DEVICE_CODE"), &kernels);
}
