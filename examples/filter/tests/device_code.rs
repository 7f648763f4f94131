//! The example's device code: assembled, without spills.
#![allow(missing_docs, reason = "a test, not a library")]

#[test]
fn every_architecture_takes_it_without_spills() {
    ikra_test_gpu::device_code::check(option_env!("IKRA_DEVICE_CODE"), &["Pixel_filter"]);
}
