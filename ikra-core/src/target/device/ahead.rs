//! An iterator's next element: prefetched one iteration ahead, because a thread stalls on its latest load.

use core::arch::asm;
use core::mem::MaybeUninit;

use crate::value::Value;

pub(crate) struct Ahead<T>(Option<T>);

impl<T: Copy> Copy for Ahead<T> {}
impl<T: Copy> Clone for Ahead<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Value> Ahead<T> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self(None)
    }

    /// Prefetches the first element: loads its slot without waiting for whether the element exists.
    ///
    /// # Safety
    ///
    /// `slot` is that of an object that exists. If `exists`, the slot holds a value that nothing writes meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn first(exists: bool, slot: *const T) -> Self {
        if const { size_of::<T>() != 4 || align_of::<T>() != 4 } {
            // SAFETY: if `exists`, the slot holds a value, by the caller.
            return Self(if exists { Some(unsafe { slot.read() }) } else { None });
        }
        let bits: u32;
        // In one asm block, since the compiler would otherwise load it where it is used. A slot without an element
        // holds any number.
        // SAFETY: a word of global memory, by the caller.
        unsafe {
            asm!(
                "{{ .reg .b64 a; cvta.to.global.u64 a, {1}; ld.global.b32 {0}, [a]; }}",
                out(reg32) bits,
                in(reg64) slot,
                options(pure, readonly, nostack, preserves_flags)
            );
        }
        // SAFETY: these are the bits of the value, by the caller.
        Self(if exists { Some(unsafe { core::mem::transmute_copy::<u32, T>(&bits) }) } else { None })
    }

    /// Prefetches the next element, if there is one.
    #[inline(always)]
    pub(crate) fn ask(&mut self, exists: bool, read: impl FnOnce() -> T) {
        self.0 = if exists { Some(read()) } else { None };
    }

    /// The prefetched element.
    ///
    /// # Safety
    ///
    /// The next element exists.
    #[inline(always)]
    pub(crate) unsafe fn take(self, _: impl FnOnce() -> T) -> T {
        // SAFETY: the next element exists, so `first` or `ask` was called with `exists`.
        unsafe { self.0.unwrap_unchecked() }
    }

    /// Whether there is no next element. For a link, one number tells this and the link itself.
    #[inline(always)]
    pub(crate) fn is_over(&self, _: u32, _: u32) -> bool {
        self.0.is_none()
    }
}

/// Whether an iterator has ended; its next position is at most `end`.
#[inline(always)]
pub(crate) fn is_over(next: u32, end: u32) -> bool {
    next >= end
}

/// Whether loops over all elements load each slot, by [`in_slot`].
pub(crate) const ASKS_EACH_SLOT: bool = true;

/// The element in a slot, if there is one. The condition is hidden from LLVM, which would otherwise find that no
/// element follows an empty slot, and make each load wait for the previous slot. Hidden, all loads are issued at the
/// same time.
///
/// # Safety
///
/// A `T` and an `Option<T>` are one word each. The slot is that of an object that exists. If `index < len`, it holds a value
/// that nothing writes meanwhile.
#[inline(always)]
pub(crate) unsafe fn in_slot<T: Copy>(index: u32, len: u32, slot: *const T) -> Option<T> {
    let none = const {
        match size_of::<Option<T>>() {
            // SAFETY: both have four bytes.
            4 => unsafe { core::mem::transmute_copy::<Option<T>, MaybeUninit<u32>>(&None) },
            _ => MaybeUninit::uninit(),
        }
    };
    let bits: MaybeUninit<u32>;
    // It is loaded before it is known whether the element exists, as in `Ahead::first`.
    // SAFETY: a word of global memory, since every array of an object that exists has the slot.
    unsafe {
        asm!(
            "{{ .reg .b64 a; .reg .b32 bits; .reg .pred p; cvta.to.global.u64 a, {1}; ld.global.b32 bits, [a]; \
             setp.lt.u32 p, {2}, {3}; @p mov.b32 {0}, bits; }}",
            inout(reg32) none => bits,
            in(reg64) slot.addr() as u64,
            in(reg32) index,
            in(reg32) len,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    // SAFETY: these are the bits of the value, or of `None`.
    unsafe { core::mem::transmute_copy::<MaybeUninit<u32>, Option<T>>(&bits) }
}

/// Whether iterators over few elements [choose](choose) between the next element and `None`.
pub(crate) const CHOOSES: bool = true;

/// The element, if it exists: by a select instruction, not by a branch. The compiler traces a select to the branch on
/// its result. It does not trace a branch there if `None` is a number that an element might have.
#[inline(always)]
pub(crate) fn choose<T>(exists: bool, element: T) -> Option<T> {
    core::hint::select_unpredictable(exists, Some(element), None)
}

/// A load of a later object's slots would take registers, and gain nothing: warps hide the time.
#[inline(always)]
pub(crate) fn prefetch_slots<T>(_: [*const T; 2], _: usize) {}
