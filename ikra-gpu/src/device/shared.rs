//! The block's shared memory, with the size that the launch requests.

use core::arch::{asm, global_asm};

global_asm!(".extern .shared .align 16 .b8 ikra_shared[];");

/// The start of the block's shared memory, a multiple of 16.
#[inline(always)]
#[must_use]
pub fn start<T>() -> *mut T {
    let address: u64;
    // SAFETY: computes an address only.
    unsafe {
        asm!(
            "{{ .reg .b64 a; mov.b64 a, ikra_shared; cvta.shared.u64 {0}, a; }}",
            out(reg64) address,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    core::ptr::with_exposed_provenance_mut(address as usize)
}

/// An address in the block's shared memory: 32 bits, half the size of a pointer.
#[derive(Clone, Copy, Debug)]
pub struct Address(u32);

impl Address {
    /// The start.
    #[inline(always)]
    #[must_use]
    pub fn start() -> Self {
        let address: u32;
        // SAFETY: computes an address only.
        unsafe {
            asm!("mov.u32 {0}, ikra_shared;", out(reg32) address, options(pure, nomem, nostack, preserves_flags));
        }
        Self(address)
    }

    /// The address this many bytes further.
    #[inline(always)]
    #[must_use]
    pub const fn add(self, bytes: u32) -> Self {
        Self(self.0.wrapping_add(bytes))
    }

    /// The address as a number.
    #[inline(always)]
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The address as a pointer, converted where it is used, so that a loop need not keep the pointer.
    #[inline(always)]
    #[must_use]
    pub fn pointer<T>(self) -> *mut T {
        let address: u64;
        // SAFETY: converts an address. Not `pure`, so that the conversion stays in place.
        unsafe {
            asm!(
                "{{ .reg .b64 a; cvt.u64.u32 a, {1}; cvta.shared.u64 {0}, a; }}",
                out(reg64) address,
                in(reg32) self.0,
                options(nomem, nostack, preserves_flags)
            );
        }
        core::ptr::with_exposed_provenance_mut(address as usize)
    }

    /// Loads a number.
    ///
    /// # Safety
    ///
    /// The address is that of an initialised number in shared memory.
    #[inline]
    #[must_use]
    pub unsafe fn read(self) -> u32 {
        let number;
        // SAFETY: by the caller. Not `pure`, as other threads write it.
        unsafe {
            asm!("ld.shared.u32 {0}, [{1}];", out(reg32) number, in(reg32) self.0,
                options(readonly, nostack, preserves_flags));
        }
        number
    }

    /// Stores a number.
    ///
    /// # Safety
    ///
    /// The address is that of a number in shared memory.
    #[inline]
    pub unsafe fn write(self, number: u32) {
        // SAFETY: by the caller.
        unsafe {
            asm!("st.shared.u32 [{0}], {1};", in(reg32) self.0, in(reg32) number, options(nostack, preserves_flags));
        }
    }

    /// Loads a number of 64 bits.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read), at a multiple of 8.
    #[inline]
    #[must_use]
    pub unsafe fn read_wide(self) -> u64 {
        let number;
        // SAFETY: by the caller. Not `pure`, as other threads write it.
        unsafe {
            asm!("ld.shared.u64 {0}, [{1}];", out(reg64) number, in(reg32) self.0,
                options(readonly, nostack, preserves_flags));
        }
        number
    }

    /// Stores a number of 64 bits.
    ///
    /// # Safety
    ///
    /// As for [`write`](Self::write), at a multiple of 8.
    #[inline]
    pub unsafe fn write_wide(self, number: u64) {
        // SAFETY: by the caller.
        unsafe {
            asm!("st.shared.u64 [{0}], {1};", in(reg32) self.0, in(reg64) number, options(nostack, preserves_flags));
        }
    }

    /// Loads 16 bytes at once.
    ///
    /// # Safety
    ///
    /// The address is a multiple of 16, and has 16 initialised bytes of shared memory.
    #[inline(always)]
    #[must_use]
    pub unsafe fn load(self) -> Piece {
        let (low, high): (u64, u64);
        // SAFETY: by the caller. Not `pure`: the bytes change from tile to tile.
        unsafe {
            asm!(
                "ld.shared.v2.b64 {{{0}, {1}}}, [{2}];",
                out(reg64) low,
                out(reg64) high,
                in(reg32) self.0,
                options(readonly, nostack, preserves_flags)
            );
        }
        Piece([low, high])
    }
}

/// 16 bytes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub struct Piece([u64; 2]);
