//! Mutable iteration over inner arrays.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ops::Range;

use super::ArrayStorage;
use super::elements::Elements;
use super::iter::{is_over, split};
use super::renewal::Renewal;
use crate::phase::Phase;

/// The elements of an inner array, for changes.
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
/// for cell in &mut road.get_mut(car).path {
///     *cell *= 2;
/// }
/// assert_eq!(road.get(car).path(), [10, 12, 14]);
/// # Ok(()) }
/// ```
pub struct InnerIterMut<'a, P, S: ArrayStorage> {
    elements: Elements<S::Element>,
    /// The elements that a kernel with `snapshot` has written.
    renewal: &'a mut Renewal<S::Element>,
    /// At most `end`.
    next: u32,
    end: u32,
    marker: PhantomData<(&'a mut S::Element, fn() -> P)>,
}

impl<'a, P: Phase, S: ArrayStorage> InnerIterMut<'a, P, S> {
    /// # Safety
    ///
    /// The range starts at its end at the latest and is within the elements. Nothing else accesses these during `'a`.
    /// If the array is renewed in phase `P`, the range is also within the previous elements, which nothing writes.
    #[inline(always)]
    pub(super) unsafe fn new(
        elements: Elements<S::Element>,
        renewal: &'a mut Renewal<S::Element>,
        range: Range<usize>,
    ) -> Self {
        Self { elements, renewal, next: range.start as u32, end: range.end as u32, marker: PhantomData }
    }
}

impl<'a, P: Phase, S: ArrayStorage> InnerIterMut<'a, P, S> {
    /// An element.
    ///
    /// # Safety
    ///
    /// It exists, and is returned only once.
    #[inline(always)]
    unsafe fn lend(&mut self, index: u32) -> &'a mut S::Element {
        // SAFETY: by the contract of `new`. This writes to no element that is lent, since each is returned only once.
        unsafe { self.renewal.keep::<P, S>(index as usize..index as usize + 1, self.elements) };
        // SAFETY: the element exists.
        let element = unsafe { self.elements.at::<S::Arrangement>(index as usize) };
        // SAFETY: nothing else accesses it during `'a`, by the contract of `new`, since it is returned only once.
        unsafe { &mut *element }
    }
}

impl<P, S: ArrayStorage> fmt::Debug for InnerIterMut<'_, P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InnerIterMut({}..{})", self.next, self.end)
    }
}

impl<'a, P: Phase, S: ArrayStorage> Iterator for InnerIterMut<'a, P, S> {
    type Item = &'a mut S::Element;

    #[inline(always)]
    fn next(&mut self) -> Option<&'a mut S::Element> {
        if is_over::<S>(self.next, self.end) {
            return None;
        }
        self.next += 1;
        // SAFETY: less than the length, and returned only once.
        Some(unsafe { self.lend(self.next - 1) })
    }

    #[inline(always)]
    fn fold<B, F: FnMut(B, &'a mut S::Element) -> B>(mut self, init: B, mut f: F) -> B {
        let (slots, rest) = split::<S>(self.next, self.end);
        let mut folded = init;
        for index in self.next..slots {
            // SAFETY: less than the length, and returned only once.
            folded = f(folded, unsafe { self.lend(index) });
        }
        for index in rest..self.end {
            // SAFETY: `end` is at most the length, and these elements follow the previous ones.
            folded = f(folded, unsafe { self.lend(index) });
        }
        folded
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        ((self.end - self.next) as usize, Some((self.end - self.next) as usize))
    }
}

impl<'a, P: Phase, S: ArrayStorage> DoubleEndedIterator for InnerIterMut<'a, P, S> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<&'a mut S::Element> {
        if is_over::<S>(self.next, self.end) {
            return None;
        }
        self.end -= 1;
        // SAFETY: less than the length, and returned only once.
        Some(unsafe { self.lend(self.end) })
    }
}

impl<P: Phase, S: ArrayStorage> ExactSizeIterator for InnerIterMut<'_, P, S> {}
impl<P: Phase, S: ArrayStorage> FusedIterator for InnerIterMut<'_, P, S> {}
