//! Iteration over inner arrays.

use core::array::from_fn;
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ops::Range;

use super::elements::Elements;
use super::enumerated::Enumerated;
use super::renewal::Renewal;
use super::{Arrangement, ArrayStorage, brings_links, shown};
use crate::directory::Targets;
use crate::phase::Phase;
use crate::target::ahead::{self, Ahead};
use crate::target::warp;
use crate::value::Value;

/// Arrays with more slots are not asked for each.
const MOST_ASKED: usize = 8;

/// The elements of an inner array, in the form that a view shows.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Car { #[inline_array(2)] pub path: InnerArray<u32> }
/// #[soa_world]
/// pub struct Road { pub cars: Objects<Car> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut road = Road::new();
/// let car = road.cars.push(Car { path: [5, 6, 7].into() })?;
/// assert_eq!(road.get(car).path().iter().position(|cell| cell == 7), Some(2));
/// assert_eq!(road.get(car).path().iter().rev().next(), Some(7));
/// # Ok(()) }
/// ```
pub struct InnerIter<'a, 'w, P, S: ArrayStorage> {
    elements: Elements<S::Element>,
    /// The elements before the call, some of which are still read.
    renewal: Renewal<S::Element>,
    // 32 bits suffice, and leave a GPU more registers. `next` is at most `end`.
    next: u32,
    end: u32,
    /// The next element, if there is one: prefetched.
    ahead: Ahead<S::Element>,
    targets: Targets<'w>,
    /// Carries `P`, so that the iterator is `Send` exactly when refs of that phase are.
    marker: PhantomData<(&'a S::Element, P)>,
}

impl<'w, P: Phase, S: ArrayStorage> InnerIter<'_, 'w, P, S> {
    /// # Safety
    ///
    /// The range starts at its end at the latest and is within the elements. These belong to an array `S`, and
    /// `targets` are its targets. If the array is renewed in phase `P`, the range is also within the previous elements.
    #[inline(always)]
    pub(super) unsafe fn new(
        elements: Elements<S::Element>,
        renewal: Renewal<S::Element>,
        targets: Targets<'w>,
        range: Range<usize>,
    ) -> Self {
        let (next, end) = (range.start as u32, range.end as u32);
        let elements = elements.placed();
        let mut iter = Self { elements, renewal, next, end, ahead: Ahead::new(), targets, marker: PhantomData };
        iter.look_ahead();
        iter
    }

    /// All elements.
    ///
    /// # Safety
    ///
    /// They belong to an array `S` of an object that exists, and `targets` are its targets. So do the previous
    /// elements, if the array is renewed in phase `P`.
    #[inline(always)]
    pub(super) unsafe fn all(
        elements: Elements<S::Element>,
        renewal: Renewal<S::Element>,
        targets: Targets<'w>,
    ) -> Self {
        let elements = elements.placed();
        let end = elements.len();
        if !is_partly_inlined::<S>() {
            // SAFETY: all of the elements.
            return unsafe { Self::new(elements, renewal, targets, 0..end) };
        }
        ahead::prefetch_slots([0, 1].map(|slot| elements.slot(slot)), const { S::Arrangement::INFO.slots });
        // SAFETY: the arrangement has slots, and the first of them holds the first element, if there is one. Nothing
        // writes the array while it is borrowed.
        let ahead = unsafe { Ahead::first(end > 0, elements.slot(0)) };
        Self { elements, renewal, next: 0, end: end as u32, ahead, targets, marker: PhantomData }
    }

    /// Prefetches the next element.
    #[inline(always)]
    fn look_ahead(&mut self) {
        if const { !looks_ahead::<S>() } {
            return;
        }
        let (elements, next) = (self.elements, self.next as usize);
        // SAFETY: `end` is at most the length, and nothing writes the array while it is borrowed.
        self.ahead.ask(self.next < self.end, || unsafe { elements.read::<S::Arrangement>(next) });
    }

    /// The next element; prefetches the one after it.
    ///
    /// # Safety
    ///
    /// The next element exists.
    #[inline(always)]
    unsafe fn take_next(&mut self) -> <S::Element as Value>::View<'w, P> {
        let index = self.next as usize;
        self.next += 1;
        // SAFETY: the element exists: `next` was less than `end`, which is at most the length, and nothing writes the
        // array while it is borrowed.
        let read = || unsafe { self.element(index) };
        let element = if const { looks_ahead::<S>() } {
            // SAFETY: the element exists, by the caller, and was prefetched.
            unsafe { self.ahead.take(read) }
        } else {
            read()
        };
        self.look_ahead();
        // SAFETY: an element of the array.
        unsafe { shown::<P, S>(element, self.targets) }
    }

    /// The iterator's elements with their indices, from 0 on: like [`Iterator::enumerate`], but a GPU unrolls it like a
    /// loop over the elements alone.
    ///
    /// ```
    /// use ikra::prelude::*;
    ///
    /// #[soa_class]
    /// pub struct Cell { pub heat: f32, #[inline_array] pub around: [Link<Cell>; 2] }
    /// #[soa_methods]
    /// impl Cell {
    ///     #[kernel(snapshot(heat))]
    ///     pub fn warm(&mut self) {
    ///         for (n, near) in self.around.iter().enumerate() {
    ///             self.heat += near.heat() / (n + 1) as f32;
    ///         }
    ///     }
    /// }
    /// #[soa_world]
    /// pub struct Plate { pub cells: Objects<Cell> }
    ///
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut plate = Plate::new();
    /// let own = Link::from_id(1).unwrap();
    /// plate.cells.push(Cell { heat: 2.0, around: [own; 2] })?;
    /// plate.execute(Cell::warm, ());
    /// assert_eq!(plate.cells.column(cell::heat), [5.0]);
    /// # Ok(()) }
    /// ```
    #[inline(always)]
    pub fn enumerate(self) -> Enumerated<Self> {
        Enumerated::new(self)
    }

    /// Whether no elements remain. The elements of a partly inlined array are counted at run time and prefetched one by
    /// one, so the iteration is over when the prefetch returned `None`. This also holds for structs with links, whose
    /// `None` is a number too. Then `next` returns the prefetched element, and the compiler keeps its knowledge of the
    /// links.
    #[inline(always)]
    fn is_over(&self) -> bool {
        if is_partly_inlined::<S>() || const { looks_ahead::<S>() && S::Element::SHOWS_NUMBERS } {
            self.ahead.is_over(self.next, self.end)
        } else {
            is_over::<S>(self.next, self.end)
        }
    }

    /// # Safety
    ///
    /// The element exists.
    #[inline(always)]
    unsafe fn read(&self, index: u32) -> <S::Element as Value>::View<'w, P> {
        // SAFETY: it exists, and nothing writes it while the array is borrowed.
        let element = unsafe { self.element(index as usize) };
        // SAFETY: an element of the array.
        unsafe { shown::<P, S>(element, self.targets) }
    }

    /// # Safety
    ///
    /// The element exists, and nothing writes it meanwhile.
    #[inline(always)]
    unsafe fn element(&self, index: usize) -> S::Element {
        // SAFETY: the index is less than the length, and nothing writes the element meanwhile.
        unsafe { self.renewal.place::<P, S>(index, self.elements).read::<S::Arrangement>(index) }
    }
}

impl<P, S: ArrayStorage> Clone for InnerIter<'_, '_, P, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self {
            elements: self.elements,
            renewal: self.renewal,
            next: self.next,
            end: self.end,
            ahead: self.ahead,
            targets: self.targets,
            marker: PhantomData,
        }
    }
}

impl<P, S: ArrayStorage> fmt::Debug for InnerIter<'_, '_, P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InnerIter({}..{})", self.next, self.end)
    }
}

impl<'w, P: Phase, S: ArrayStorage> Iterator for InnerIter<'_, 'w, P, S> {
    type Item = <S::Element as Value>::View<'w, P>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if const { is_chosen::<P, S>() } {
            let exists = self.next < self.end;
            // Otherwise the first element, which every array has.
            let index = if exists { self.next } else { 0 };
            self.next += u32::from(exists);
            // SAFETY: the element exists.
            let element = unsafe { self.read(index) };
            return ahead::choose(exists, element);
        }
        if self.is_over() {
            return None;
        }
        // SAFETY: the element exists.
        Some(unsafe { self.take_next() })
    }

    // The standard library's versions check each `Option` of an element for `None`. They do so also on a GPU, where an
    // `Option` of a ref is a number that may be 0.

    #[inline(always)]
    fn any<F: FnMut(Self::Item) -> bool>(&mut self, mut f: F) -> bool {
        while !self.is_over() {
            // SAFETY: the element exists.
            if f(unsafe { self.take_next() }) {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn all<F: FnMut(Self::Item) -> bool>(&mut self, mut f: F) -> bool {
        !self.any(|element| !f(element))
    }

    #[inline(always)]
    fn find<F: FnMut(&Self::Item) -> bool>(&mut self, mut f: F) -> Option<Self::Item> {
        while !self.is_over() {
            // SAFETY: the element exists.
            let element = unsafe { self.take_next() };
            if f(&element) {
                return Some(element);
            }
        }
        None
    }

    #[inline(always)]
    fn find_map<B, F: FnMut(Self::Item) -> Option<B>>(&mut self, mut f: F) -> Option<B> {
        while !self.is_over() {
            // SAFETY: the element exists.
            if let Some(found) = f(unsafe { self.take_next() }) {
                return Some(found);
            }
        }
        None
    }

    #[inline(always)]
    fn position<F: FnMut(Self::Item) -> bool>(&mut self, f: F) -> Option<usize> {
        let first = self.next;
        self.any(f).then(|| (self.next - first) as usize - 1)
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        ((self.end - self.next) as usize, Some((self.end - self.next) as usize))
    }

    #[inline(always)]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let (slots, rest) = split::<S>(self.next, self.end);
        let mut folded = init;
        if const { asks_each_slot::<S>() } && self.next == 0 {
            // All are loaded before the first is used.
            let in_slots: [Option<S::Element>; MOST_ASKED] = from_fn(|index| {
                if index >= S::Arrangement::INFO.slots {
                    return None;
                }
                // SAFETY: `end` is at most the length, and nothing writes the array while it is borrowed.
                unsafe { ahead::in_slot(index as u32, self.end, self.elements.slot(index)) }
            });
            // One iteration per slot; their number is known when compiled.
            #[allow(clippy::needless_range_loop, reason = "by constants, as which the slots are in registers")]
            for index in 0..S::Arrangement::INFO.slots {
                if let Some(element) = in_slots[index] {
                    // SAFETY: an element of the array.
                    folded = f(folded, unsafe { shown::<P, S>(element, self.targets) });
                }
            }
        } else {
            for index in self.next..slots {
                // SAFETY: `end` is at most the length.
                folded = f(folded, unsafe { self.read(index) });
            }
        }
        if const { !S::Arrangement::INFO.arena } {
            return folded;
        }
        let together = warp::activemask();
        for index in rest..self.end {
            // SAFETY: `end` is at most the length.
            folded = f(folded, unsafe { self.read(index) });
        }
        // The assembler does not join threads after a loop with atomic loads, in which they might wait for each other.
        // SAFETY: each of these threads gets here, or ends.
        unsafe { warp::meet(together) };
        folded
    }

    #[inline(always)]
    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.next = n.min((self.end - self.next) as usize) as u32 + self.next;
        self.look_ahead();
        self.next()
    }
}

/// Whether no element exists from `next` on. In a partly inlined array, each element is found by comparing its index
/// with the number of slots. Another comparison by size combines better with it: measured.
#[inline(always)]
pub(super) fn is_over<S: ArrayStorage>(next: u32, end: u32) -> bool {
    if is_partly_inlined::<S>() { next >= end } else { ahead::is_over(next, end) }
}

/// Whether the next element is prefetched before this one is used. A loop over few elements, whose number is known when
/// compiled, is unrolled: it loads all of them before it uses the first.
const fn looks_ahead<S: ArrayStorage>() -> bool {
    let info = S::Arrangement::INFO;
    info.arena || info.slots > 32
}

/// Whether a select decides if a next element exists, not a branch. On a GPU, where an `Option` of a ref is a number
/// that may be 0, the compiler knows the number of iterations only then.
const fn is_chosen<P: Phase, S: ArrayStorage>() -> bool {
    let info = S::Arrangement::INFO;
    // A larger struct would be selected by its address, in memory.
    let is_small = !S::Element::SHOWS_NUMBERS || size_of::<S::Element>() <= 16;
    ahead::CHOOSES
        && !looks_ahead::<S>()
        && info.slots > 0
        && !S::LINKS_TO.is_empty()
        && is_small
        && !brings_links::<P, S>()
}

/// Whether some elements of long arrays have no slot.
#[inline(always)]
fn is_partly_inlined<S: ArrayStorage>() -> bool {
    let info = S::Arrangement::INFO;
    info.arena && info.slots > 0
}

/// Whether loops over all elements of a partly inlined array load every slot, even of missing elements. They do so for
/// few slots with links, or with other types of one word that have a free value for `None`.
const fn asks_each_slot<S: ArrayStorage>() -> bool {
    let info = S::Arrangement::INFO;
    let is_word = size_of::<S::Element>() == 4 && align_of::<S::Element>() == 4 && size_of::<Option<S::Element>>() == 4;
    ahead::ASKS_EACH_SLOT && is_word && info.arena && info.slots > 0 && info.slots <= MOST_ASKED
}

/// Splits the elements `next..end` after the last one with a slot: two loops are faster than one that locates each
/// element separately.
#[inline(always)]
pub(super) fn split<S: ArrayStorage>(next: u32, end: u32) -> (u32, u32) {
    let info = S::Arrangement::INFO;
    if info.arena { (end.min(info.slots as u32), next.max(info.slots as u32)) } else { (end, end) }
}

impl<P: Phase, S: ArrayStorage> DoubleEndedIterator for InnerIter<'_, '_, P, S> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<Self::Item> {
        if const { is_chosen::<P, S>() } {
            let exists = self.next < self.end;
            self.end -= u32::from(exists);
            // Otherwise the first element, which every array has.
            let index = if exists { self.end } else { 0 };
            // SAFETY: the element exists.
            let element = unsafe { self.read(index) };
            return ahead::choose(exists, element);
        }
        if self.is_over() {
            return None;
        }
        self.end -= 1;
        if self.next == self.end {
            self.look_ahead();
        }
        // SAFETY: less than the length.
        Some(unsafe { self.read(self.end) })
    }
}

impl<P: Phase, S: ArrayStorage> ExactSizeIterator for InnerIter<'_, '_, P, S> {}
impl<P: Phase, S: ArrayStorage> FusedIterator for InnerIter<'_, '_, P, S> {}
