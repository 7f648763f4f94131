//! The block's shared memory: as many bytes as the launch asked for.

use core::arch::{asm, global_asm};

global_asm!(".extern .shared .align 16 .b8 ikra_shared[];");

/// The start of the block's shared memory, a multiple of 16.
#[inline(always)]
#[must_use]
pub fn start<T>() -> *mut T {
    let address: u64;
    // SAFETY: reads an address.
    unsafe {
        asm!(
            "{{ .reg .b64 a; mov.b64 a, ikra_shared; cvta.shared.u64 {0}, a; }}",
            out(reg64) address,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    core::ptr::with_exposed_provenance_mut(address as usize)
}

/// 16 bytes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub struct Piece([u64; 2]);

/// Loads 16 bytes of shared memory at once.
///
/// # Safety
///
/// `from` is the generic address of 16 initialised bytes of shared memory, and a multiple of 16.
#[inline(always)]
#[must_use]
pub unsafe fn load(from: *const u8) -> Piece {
    let (low, high): (u64, u64);
    // SAFETY: by the caller. Not `pure`: the bytes change from tile to tile.
    unsafe {
        asm!(
            "{{ .reg .b64 a; cvta.to.shared.u64 a, {2}; ld.shared.v2.b64 {{{0}, {1}}}, [a]; }}",
            out(reg64) low,
            out(reg64) high,
            in(reg64) from,
            options(readonly, nostack, preserves_flags)
        );
    }
    Piece([low, high])
}
