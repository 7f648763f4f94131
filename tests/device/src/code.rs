//! Whether there is device code to test.

use crate::DEVICE_CODE;

/// The path of the device code. Says so if a test is skipped for want of it.
///
/// # Panics
///
/// If there is none, and `IKRA_REQUIRE_DEVICE_CODE` is set.
#[must_use]
pub fn device_code() -> Option<&'static str> {
    if DEVICE_CODE.is_none() {
        assert!(std::env::var_os("IKRA_REQUIRE_DEVICE_CODE").is_none(), "there is no compiler for the device");
        println!("SKIPPED: there is no compiler for the device");
    }
    DEVICE_CODE
}
