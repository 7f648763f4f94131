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
