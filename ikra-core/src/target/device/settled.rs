//! A number that is known as it is, and no more.

/// The number in a register, of which the compiler does not know how it was computed: what was added to it is not taken off
/// again in 64 bits.
#[inline(always)]
pub(crate) fn settled(number: u32) -> u32 {
    let settled;
    // SAFETY: a copy of a register.
    unsafe {
        core::arch::asm!(
            "mov.b32 {}, {};",
            lateout(reg32) settled,
            in(reg32) number,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    settled
}
