//! An iterator's next element: asked for before the one before it is used, since a thread waits for what it asks for
//! last.

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

    /// Asks for the first element: for what is in its slot, which need not wait for whether there is one.
    ///
    /// # Safety
    ///
    /// `slot` is that of an object that exists. If `exists`, a value is there, and nothing writes it meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn first(exists: bool, slot: *const T) -> Self {
        if const { size_of::<T>() != 4 || align_of::<T>() != 4 } {
            // SAFETY: there is a value, by the caller.
            return Self(if exists { Some(unsafe { slot.read() }) } else { None });
        }
        let bits: u32;
        // As one piece, since the compiler would ask for it where it is used. What is in a slot without an element is any number.
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

    /// Asks for the next element, if there is one.
    #[inline(always)]
    pub(crate) fn ask(&mut self, exists: bool, read: impl FnOnce() -> T) {
        self.0 = if exists { Some(read()) } else { None };
    }

    /// The element that was asked for.
    ///
    /// # Safety
    ///
    /// There is one.
    #[inline(always)]
    pub(crate) unsafe fn take(self, _: impl FnOnce() -> T) -> T {
        // SAFETY: there is a next element, for which `first` or `ask` was told so.
        unsafe { self.0.unwrap_unchecked() }
    }

    /// Whether there is none. Of a link it is one number that says whether there is one, and which.
    #[inline(always)]
    pub(crate) fn is_over(&self, _: u32, _: u32) -> bool {
        self.0.is_none()
    }
}

/// Whether an iterator is over whose next position is at most `end`.
#[inline(always)]
pub(crate) fn is_over(next: u32, end: u32) -> bool {
    next >= end
}

/// Whether loops over all elements ask for what is in each slot, by [`in_slot`].
pub(crate) const ASKS_EACH_SLOT: bool = true;

/// The element in a slot, if there is one. Nobody but the assembler knows what that depends on: LLVM would find that there is none
/// behind an empty slot, and make each load wait for the slot before. So the assembler asks for all at the same time.
///
/// # Safety
///
/// A `T` and an `Option` of one are a word each. If `index < len`, a value is in the slot, and nothing writes it meanwhile.
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
    // SAFETY: a word of global memory is loaded if there is an element, by the caller.
    unsafe {
        asm!(
            "{{ .reg .b64 a; .reg .pred p; cvta.to.global.u64 a, {1}; setp.lt.u32 p, {2}, {3}; @p ld.global.b32 {0}, [a]; }}",
            inout(reg32) none => bits,
            in(reg64) slot.addr() as u64,
            in(reg32) index,
            in(reg32) len,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    // SAFETY: the bits of the value, or of none.
    unsafe { core::mem::transmute_copy::<MaybeUninit<u32>, Option<T>>(&bits) }
}

/// Whether iterators over few elements [choose](choose) between the next and none.
pub(crate) const CHOOSES: bool = true;

/// The element, if it exists: by an instruction that chooses, not by a branch. The compiler follows the one to the branch on the
/// result, and the other not, if none is a number that may be an element's.
#[inline(always)]
pub(crate) fn choose<T>(exists: bool, element: T) -> Option<T> {
    core::hint::select_unpredictable(exists, Some(element), None)
}
