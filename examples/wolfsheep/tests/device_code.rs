//! The example's device code: assembled, without spills. Kernels that make or remove animals run on the host.
#![allow(missing_docs, reason = "a test, not a library")]

#[test]
fn every_architecture_takes_it_without_spills() {
    let kernels = ["Sheep_draw", "Sheep_walk", "Sheep_meet", "Wolf_draw", "Wolf_walk", "Patch_grow"];
    ikra_test_gpu::device_code::check(option_env!("IKRA_DEVICE_CODE"), &kernels);
}
