//! Where the elements of an array are that have no slot, and how many elements it has: looked up when a view is made.

use core::ptr;

use crate::extent::Extent;

/// The rest of an array of variable length; or just a length.
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
    /// That of an array of `len` elements, which all have slots.
    #[inline(always)]
    pub(crate) const fn fixed(len: usize) -> Self {
        Self::at(ptr::null_mut(), len)
    }

    /// That of an array of `len` elements, of which those without a slot begin at `rest`.
    #[inline(always)]
    pub(crate) const fn at(rest: *mut T, len: usize) -> Self {
        Self { rest, len }
    }

    /// That of an array with this extent, wherever it is.
    ///
    /// # Safety
    ///
    /// There is an extent, which nothing changes as long as the kernel, or the sequential code, runs that uses
    /// this.
    #[inline(always)]
    pub(crate) unsafe fn of(extent: *const Extent, arena: *mut T, _: bool) -> Self {
        // SAFETY: an extent is there, which nothing changes meanwhile.
        let extent = unsafe { extent.read() };
        Self { rest: arena.wrapping_add(extent.offset as usize), len: extent.len as usize }
    }

    /// Elements in all.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// The first element without a slot.
    #[inline(always)]
    pub(crate) fn rest(self) -> *mut T {
        self.rest
    }

    /// The same with the first element without a slot looked up.
    #[inline(always)]
    pub(crate) fn placed(self) -> Self {
        self
    }

    /// The same, looked up.
    #[inline(always)]
    pub(crate) fn looked_up(self) -> Self {
        self
    }

    /// Whether both are the same.
    #[inline(always)]
    pub(crate) fn same_place(self, other: Self) -> bool {
        ptr::eq(self.rest, other.rest) && self.len == other.len
    }
}
