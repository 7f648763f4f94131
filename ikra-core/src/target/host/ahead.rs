//! An iterator's next element: read when it is used. The slots of objects that follow are prefetched.

use core::marker::PhantomData;

use crate::layout::LINE;
use crate::value::Value;

pub(crate) struct Ahead<T>(PhantomData<T>);

impl<T> Copy for Ahead<T> {}
impl<T> Clone for Ahead<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Value> Ahead<T> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }

    /// # Safety
    ///
    /// As on the device.
    #[inline(always)]
    pub(crate) unsafe fn first(_: bool, _: *const T) -> Self {
        Self::new()
    }

    #[inline(always)]
    pub(crate) fn ask(&mut self, _: bool, _: impl FnOnce() -> T) {}

    /// # Safety
    ///
    /// The next element exists, as on the device.
    #[inline(always)]
    pub(crate) unsafe fn take(self, read: impl FnOnce() -> T) -> T {
        read()
    }

    #[inline(always)]
    pub(crate) fn is_over(&self, next: u32, end: u32) -> bool {
        next >= end
    }
}

/// Whether an iterator has ended; its next position is at most `end`. The comparison for equality tells the compiler
/// how many elements remain.
#[inline(always)]
pub(crate) fn is_over(next: u32, end: u32) -> bool {
    next == end
}

/// Whether loops over all elements load each slot.
pub(crate) const ASKS_EACH_SLOT: bool = false;

/// # Safety
///
/// As on the device.
#[inline(always)]
pub(crate) unsafe fn in_slot<T: Copy>(index: u32, len: u32, slot: *const T) -> Option<T> {
    // SAFETY: the element exists, by the caller.
    (index < len).then(|| unsafe { slot.read() })
}

/// Whether iterators over few elements choose between the next element and `None`.
pub(crate) const CHOOSES: bool = false;

#[inline(always)]
pub(crate) fn choose<T>(exists: bool, element: T) -> Option<T> {
    exists.then_some(element)
}

/// Prefetches the slots of a later object, once per cache line. A loop over slots is one instruction that jumps from
/// column to column, which the hardware's prefetcher cannot follow.
#[inline(always)]
pub(crate) fn prefetch_slots<T>(slots: [*const T; 2], count: usize) {
    let pitch = slots[1].addr().wrapping_sub(slots[0].addr());
    if pitch >= LINE && slots[0].addr() % LINE < size_of::<T>() {
        for slot in 0..count {
            prefetch(slots[0].wrapping_byte_add(slot * pitch + 2 * LINE).cast());
        }
    }
}

/// Asks for a cache line, where the processor has an instruction for it.
#[inline(always)]
pub fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint; it accesses no memory.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    let _ = address;
}
