//! The GPU that the tests run on.

/// Whether there is device code, and so a GPU to run it on: the machine's, or the emulator.
///
/// # Panics
///
/// With `IKRA_REQUIRE_GPU=1`, if there is no real one.
#[must_use]
pub fn has_gpu() -> bool {
    ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE"))
}
