//! Finds the device code to test.

use crate::DEVICE_CODE;

/// The path of the device code. Prints a message if a test is skipped without it.
///
/// # Panics
///
/// If there is no device code and `IKRA_REQUIRE_DEVICE_CODE` is set.
#[must_use]
pub fn device_code() -> Option<&'static str> {
    if DEVICE_CODE.is_none() {
        assert!(std::env::var_os("IKRA_REQUIRE_DEVICE_CODE").is_none(), "there is no compiler for the device");
        println!("SKIPPED: there is no compiler for the device");
    }
    DEVICE_CODE
}
