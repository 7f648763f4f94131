//! Products of 32-bit numbers.

/// The upper and the lower half of a product, by one instruction. As 64-bit arithmetic, what is done with the halves would
/// be 64 bits wide as well, in two registers.
#[inline(always)]
pub(crate) const fn wide(a: u32, b: u32) -> (u32, u32) {
    core::intrinsics::const_eval_select((a, b), computed, multiplied)
}

const fn computed(a: u32, b: u32) -> (u32, u32) {
    let product = a as u64 * b as u64;
    ((product >> 32) as u32, product as u32)
}

#[inline(always)]
fn multiplied(a: u32, b: u32) -> (u32, u32) {
    let (high, low);
    // SAFETY: arithmetic on registers.
    unsafe {
        core::arch::asm!(
            "{{ .reg .b64 product; mul.wide.u32 product, {2}, {3}; mov.b64 {{{1}, {0}}}, product; }}",
            out(reg32) high,
            out(reg32) low,
            in(reg32) a,
            in(reg32) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    (high, low)
}
