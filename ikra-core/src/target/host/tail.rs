//! The position of an array's elements without a slot, and the array's length: both are loaded when a view is made.

use core::ptr;

use crate::extent::Extent;

/// The rest of an array of variable length, or just a length.
pub(crate) struct Tail<T> {
    /// The first element.
    rest: *mut T,
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
        Self { rest, len }
    }

    /// The tail of an array with this extent.
    ///
    /// # Safety
    ///
    /// The extent exists, and nothing changes it as long as the kernel or the sequential code runs that uses this.
    #[inline(always)]
    pub(crate) unsafe fn of(extent: *const Extent, arena: *mut T, _: bool) -> Self {
        // SAFETY: the extent exists, and nothing changes it meanwhile.
        let extent = unsafe { extent.read() };
        Self { rest: arena.wrapping_add(extent.offset as usize), len: extent.len as usize }
    }

    /// The number of all elements.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// The first element without a slot.
    #[inline(always)]
    pub(crate) fn rest(self) -> *mut T {
        self.rest
    }

    /// This tail, with the first element without a slot loaded.
    #[inline(always)]
    pub(crate) fn placed(self) -> Self {
        self
    }

    /// This tail, loaded.
    #[inline(always)]
    pub(crate) fn looked_up(self) -> Self {
        self
    }

    /// Whether both are one and the same tail.
    #[inline(always)]
    pub(crate) fn same_place(self, other: Self) -> bool {
        ptr::eq(self.rest, other.rest) && self.len == other.len
    }
}
