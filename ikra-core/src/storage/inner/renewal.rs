//! Inner arrays that a kernel with `snapshot` writes anew.
//!
//! A call's elements are in the shadow, which is empty at first. The call's view tracks the elements that it has
//! written. It reads the others from their previous positions, and copies them at the end. If a method writes all
//! elements, the compiler sees that, and no tracking remains.

use core::ops::Range;

use super::arrangement::Arrangement;
use super::elements::Elements;
use super::{ArrayStorage, is_renewed};
use crate::class::Class;
use crate::layout::{Layout, LayoutKind};
use crate::phase::Phase;
use crate::value::Value;

/// The previous elements of an array, and the set of those that the call has written since.
pub(super) struct Renewal<T> {
    before: Elements<T>,
    /// One bit per element.
    written: u32,
}

impl<T> Copy for Renewal<T> {}
impl<T> Clone for Renewal<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

/// Whether the elements lie in a row that is lent as slices: then all are marked as written together.
const fn has_rows<S: ArrayStorage>() -> bool {
    S::Arrangement::INFO.as_object || matches!(<S::Owner as Class>::Layout::KIND, LayoutKind::Aos)
}

/// The bits of all elements.
const fn all<S: ArrayStorage>() -> u32 {
    match S::Arrangement::INFO.slots {
        0 => 0,
        slots @ 1..32 => (1 << slots) - 1,
        _ => u32::MAX,
    }
}

impl<T: Value> Renewal<T> {
    /// For an array that is changed in place.
    pub(super) const NONE: Self = Self { before: Elements::NONE, written: u32::MAX };

    /// For an array without written elements.
    #[inline(always)]
    pub(super) fn of(before: Elements<T>) -> Self {
        Self { before, written: 0 }
    }

    #[inline(always)]
    fn has(self, index: usize) -> bool {
        self.written >> (index as u32 % u32::BITS) & 1 != 0
    }

    /// The position of an element; `now` are the elements that the call writes.
    #[inline(always)]
    pub(super) fn place<P: Phase, S: ArrayStorage<Element = T>>(self, index: usize, now: Elements<T>) -> Elements<T> {
        if const { is_renewed::<P, S>() } && !self.has(index) { self.before } else { now }
    }

    /// The start of the row of all elements, if they lie in one.
    #[inline(always)]
    pub(super) fn row<P: Phase, S: ArrayStorage<Element = T>>(self, now: Elements<T>) -> Option<*mut T> {
        if const { is_renewed::<P, S>() && !has_rows::<S>() } {
            return None;
        }
        self.place::<P, S>(0, now).in_a_row::<S::Arrangement>()
    }

    /// Ensures that some elements are in `now`, which the call writes, since they are lent for changes.
    ///
    /// # Safety
    ///
    /// 1. Both arrays are of an object that exists, arranged as in `S`, and equally long, or `before` is empty; the
    ///    range is within them.
    /// 2. If the array is renewed in phase `P`, nothing else accesses the elements `now`, and nothing writes the
    ///    previous ones.
    #[inline(always)]
    pub(super) unsafe fn keep<P: Phase, S: ArrayStorage<Element = T>>(
        &mut self,
        elements: Range<usize>,
        now: Elements<T>,
    ) {
        if const { !is_renewed::<P, S>() } {
            return;
        }
        let elements = if const { has_rows::<S>() } { 0..now.len() } else { elements };
        for index in elements {
            if !self.has(index) {
                // SAFETY: the array has the element by 1, and nothing writes it by 2.
                let element = unsafe { self.before.read::<S::Arrangement>(index) };
                // SAFETY: the other array has the element too, and nothing else accesses it by 2.
                unsafe { now.write::<S::Arrangement>(index, element) };
                self.written |= 1 << index;
            }
        }
    }

    /// As [`keep`](Self::keep), for an element that is about to be replaced.
    ///
    /// # Safety
    ///
    /// As for [`keep`](Self::keep); and the caller writes the element.
    #[inline(always)]
    pub(super) unsafe fn replace<P: Phase, S: ArrayStorage<Element = T>>(&mut self, index: usize, now: Elements<T>) {
        if const { !is_renewed::<P, S>() } {
            return;
        }
        if const { has_rows::<S>() } {
            // SAFETY: the element is within the array, and nothing else accesses it.
            unsafe { self.keep::<P, S>(index..index + 1, now) };
        } else {
            self.written |= 1 << index;
        }
    }

    /// Copies the elements that the call did not write.
    ///
    /// # Safety
    ///
    /// As for [`keep`](Self::keep).
    #[inline(always)]
    pub(super) unsafe fn finish<P: Phase, S: ArrayStorage<Element = T>>(self, now: Elements<T>) {
        if const { !is_renewed::<P, S>() } || self.written & const { all::<S>() } == const { all::<S>() } {
            return;
        }
        let len = now.len();
        let mut first = 0;
        while first < len {
            // Four at a time: it loads all of them before it uses the first. (A GPU would keep an array in memory.)
            // SAFETY: the array has the element by 1, and nothing writes it by 2.
            let before = |index: usize| unsafe { self.before.read::<S::Arrangement>(index.min(len - 1)) };
            let (a, b, c, d) = (before(first), before(first + 1), before(first + 2), before(first + 3));
            let restore = |index: usize, before: T| {
                if index < len && !self.has(index) {
                    // SAFETY: the other array has the element by 1, and nothing else accesses it by 2.
                    unsafe { now.write::<S::Arrangement>(index, before) };
                }
            };
            restore(first, a);
            restore(first + 1, b);
            restore(first + 2, c);
            restore(first + 3, d);
            first += 4;
        }
    }
}
