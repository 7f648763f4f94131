//! A number that is known as it is.

/// The number.
#[inline(always)]
pub(crate) fn settled(number: u32) -> u32 {
    number
}
