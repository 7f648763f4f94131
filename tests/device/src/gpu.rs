//! The GPU for the tests.

/// Whether there is device code, and so a GPU that runs it: the machine's, or the emulator.
///
/// # Panics
///
/// With `IKRA_REQUIRE_GPU=1`, if there is no real GPU.
#[must_use]
pub fn has_gpu() -> bool {
    ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE"))
}
