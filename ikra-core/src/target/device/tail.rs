//! The part of an inner array that lies in the arena, and the array's length.
//!
//! A kernel that writes the array loads both when a view is made. Other kernels load them when they need them, since a
//! kernel may find that it has nothing to do for the object. They use an instruction for read-only memory, so that the
//! compiler knows that the result is constant.

use core::arch::asm;
use core::ptr;

use crate::extent::Extent;

/// The rest of an array of variable length, or just a length.
pub(crate) struct Tail<T> {
    /// The first element; or the arena, as long as the extent has not been loaded.
    rest: *mut T,
    extent: *const Extent,
    /// Whether the extent has still to be loaded: known when compiled.
    pending: bool,
    /// Whether the extent is at a multiple of its size: known when compiled, too.
    whole: bool,
    len: usize,
}

impl<T> Copy for Tail<T> {}
impl<T> Clone for Tail<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Tail<T> {
    /// The tail of an array of `len` elements, which all have slots.
    #[inline(always)]
    pub(crate) const fn fixed(len: usize) -> Self {
        Self::at(ptr::null_mut(), len)
    }

    /// The tail of an array of `len` elements; those without a slot begin at `rest`.
    #[inline(always)]
    pub(crate) const fn at(rest: *mut T, len: usize) -> Self {
        Self { rest, extent: ptr::null(), pending: false, whole: false, len }
    }

    /// The tail of an array with this extent. If `whole`, it is at a multiple of its size, so that one load has both
    /// numbers.
    ///
    /// # Safety
    ///
    /// The extent exists, and nothing changes it as long as the kernel runs that uses this. If `whole`, it is at a
    /// multiple of its size.
    #[inline(always)]
    pub(crate) unsafe fn of(extent: *const Extent, arena: *mut T, whole: bool) -> Self {
        Self { rest: arena, extent, pending: true, whole, len: 0 }
    }

    /// The number of all elements.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        if self.pending {
            // SAFETY: by the contract of `of`.
            return unsafe { self.constant() }.len as usize;
        }
        self.len
    }

    /// The first element without a slot.
    #[inline(always)]
    pub(crate) fn rest(self) -> *mut T {
        if self.pending {
            // SAFETY: by the contract of `of`.
            return self.rest.wrapping_add(unsafe { self.constant() }.offset as usize);
        }
        self.rest
    }

    /// This tail, with length and first element without a slot loaded at once, by the instruction for read-only memory.
    #[inline(always)]
    pub(crate) fn placed(self) -> Self {
        if self.pending {
            // SAFETY: by the contract of `of`.
            let extent = unsafe { self.constant() };
            let rest = self.rest.wrapping_add(extent.offset as usize);
            return Self { rest, pending: false, len: extent.len as usize, ..self };
        }
        self
    }

    /// This tail, loaded.
    #[inline(always)]
    pub(crate) fn looked_up(self) -> Self {
        if self.pending {
            // SAFETY: by the contract of `of`.
            let extent = unsafe { self.extent.read() };
            let rest = self.rest.wrapping_add(extent.offset as usize);
            return Self { rest, pending: false, len: extent.len as usize, ..self };
        }
        self
    }

    /// The extent: both numbers at once, since the compiler would otherwise load each where it is used.
    ///
    /// # Safety
    ///
    /// The extent exists, and nothing changes it during the kernel.
    #[inline(always)]
    unsafe fn constant(self) -> Extent {
        let (offset, len): (u32, u32);
        macro_rules! load {
            ($instructions:literal) => {
                // SAFETY: by the caller, the result depends only on the address.
                unsafe {
                    asm!(
                        concat!("{{ .reg .b64 a; cvta.to.global.u64 a, {0}; ", $instructions, " }}"),
                        in(reg64) self.extent.addr() as u64,
                        out(reg32) offset,
                        out(reg32) len,
                        options(pure, nomem, nostack, preserves_flags)
                    )
                }
            };
        }
        if self.whole {
            load!("ld.global.nc.v2.b32 {{{1}, {2}}}, [a];");
        } else {
            load!("ld.global.nc.b32 {1}, [a]; ld.global.nc.b32 {2}, [a+4];");
        }
        Extent { offset, len }
    }

    /// Whether both are one and the same tail.
    #[inline(always)]
    pub(crate) fn same_place(self, other: Self) -> bool {
        ptr::eq(self.extent, other.extent) && self.len == other.len
    }
}
