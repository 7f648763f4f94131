//! Device code without one pass or another, for tests of equal results.

use crate::{Floats, nested, passes};

/// Makes device code again from the compiler's output, without the passes in a list such as `-stores,-offsets`.
///
/// `compiled` is the file `ikra_device.compiler.ptx`, which a build leaves next to the device code, `ikra_device.ptx`.
/// Tests compare results with each pass and without it: `IKRA_REPLACE_DEVICE_CODE=package=FILE` makes a program run
/// with this code.
///
/// # Errors
///
/// The part of the text, or of the list, that is not understood.
pub fn rewritten(compiled: &str, left_out: &str) -> Result<String, String> {
    let left_out = passes::left_out(left_out)?;
    nested::rewritten(compiled, "unknown", Floats::Strict, false, &left_out).map(|code| code.to_string())
}

/// The names of the passes over device code, in their order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    passes::names()
}
