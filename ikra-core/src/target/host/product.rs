//! Products of 32-bit numbers.

/// The upper and the lower half of a product.
#[inline(always)]
pub(crate) const fn wide(a: u32, b: u32) -> (u32, u32) {
    let product = a as u64 * b as u64;
    ((product >> 32) as u32, product as u32)
}
