//! Inner arrays that a kernel with `snapshot` writes anew.
//!
//! A call's elements are in the shadow, where nothing is before. Which of them it has written, its view knows. It reads the others
//! where they were, and in the end, those are copied that it did not write. Where a method writes all of them, the compiler sees
//! that, and nothing is left of this.

use core::ops::Range;

use super::arrangement::Arrangement;
use super::elements::Elements;
use super::{ArrayStorage, is_renewed};
use crate::class::Class;
use crate::layout::{Layout, LayoutKind};
use crate::phase::Phase;
use crate::value::Value;

/// Where the elements of an array were before a call, and which the call has written since.
pub(super) struct Renewal<T> {
    before: Elements<T>,
    /// A bit for each element.
    written: u32,
}

impl<T> Copy for Renewal<T> {}
impl<T> Clone for Renewal<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

/// Whether the elements lie in a row, of which slices are lent: then all are written together.
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
    /// That of an array that is where it is.
    pub(super) const NONE: Self = Self { before: Elements::NONE, written: u32::MAX };

    /// That of an array of which no element is written yet.
    #[inline(always)]
    pub(super) fn of(before: Elements<T>) -> Self {
        Self { before, written: 0 }
    }

    #[inline(always)]
    fn has(self, index: usize) -> bool {
        self.written >> (index as u32 % u32::BITS) & 1 != 0
    }

    /// Where an element is, of those that are `now` where the call writes them.
    #[inline(always)]
    pub(super) fn place<P: Phase, S: ArrayStorage<Element = T>>(self, index: usize, now: Elements<T>) -> Elements<T> {
        if const { is_renewed::<P, S>() } && !self.has(index) { self.before } else { now }
    }

    /// Where the row of all elements is, if they lie in one.
    #[inline(always)]
    pub(super) fn row<P: Phase, S: ArrayStorage<Element = T>>(self, now: Elements<T>) -> Option<*mut T> {
        if const { is_renewed::<P, S>() && !has_rows::<S>() } {
            return None;
        }
        self.place::<P, S>(0, now).in_a_row::<S::Arrangement>()
    }

    /// Sees to it that some elements are `now` where the call writes them, since they are lent to be changed.
    ///
    /// # Safety
    ///
    /// 1. Both arrays are of an object that exists, arranged as `S` is, with as many elements or none; the range is within them.
    /// 2. If the array is renewed in phase `P`, nothing else accesses the elements `now`, and nothing writes those before.
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
                // SAFETY: so has the other, and nothing else accesses it by 2.
                unsafe { now.write::<S::Arrangement>(index, element) };
                self.written |= 1 << index;
            }
        }
    }

    /// The same for an element that is about to be replaced.
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

    /// Copies what the call did not write.
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
            // Four at a time: all are asked for before the first is there. (In an array, a GPU would have them in memory.)
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
