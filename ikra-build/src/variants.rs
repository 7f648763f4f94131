//! Device code without one pass or another, for tests that it does the same.

use crate::{nested, passes};

/// Device code made anew of what the compiler wrote, without the passes in a list such as `-stores,-offsets`.
///
/// `compiled` is the file `ikra_device.compiler.ptx` that a build leaves beside the device code, `ikra_device.ptx`. For tests that
/// device code does the same with each pass and without it: `IKRA_REPLACE_DEVICE_CODE=package=FILE` has a program run with it.
///
/// # Errors
///
/// What is not understood of the text, or the list.
pub fn rewritten(compiled: &str, left_out: &str) -> Result<String, String> {
    let left_out = passes::left_out(left_out)?;
    nested::rewritten(compiled, "unknown", false, &left_out).map(|code| code.to_string())
}

/// The names of the passes over device code, in their order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    passes::names()
}
