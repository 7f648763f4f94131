//! Iteration over inner arrays.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use super::ArrayStorage;
use super::elements::Elements;
use crate::phase::Phase;
use crate::table::Place;
use crate::value::Value;

/// The elements of an inner array, as a view shows them.
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
    // 32 bits suffice, and leave a GPU more registers.
    next: u32,
    end: u32,
    place: Place<'w>,
    marker: PhantomData<(&'a S::Element, fn() -> P)>,
}

impl<'w, P: Phase, S: ArrayStorage> InnerIter<'_, 'w, P, S> {
    #[inline(always)]
    pub(super) fn new(elements: Elements<S::Element>, place: Place<'w>) -> Self {
        Self { elements, next: 0, end: elements.len() as u32, place, marker: PhantomData }
    }

    /// # Safety
    ///
    /// The element exists.
    #[inline(always)]
    unsafe fn read(&self, index: u32) -> <S::Element as Value>::View<'w, P> {
        // SAFETY: it exists, and nothing writes it while the array is borrowed.
        unsafe { self.elements.at::<S::Arrangement>(index as usize).read() }.view::<P>(self.place)
    }
}

impl<P, S: ArrayStorage> Clone for InnerIter<'_, '_, P, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self { elements: self.elements, next: self.next, end: self.end, place: self.place, marker: PhantomData }
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
        if self.next >= self.end {
            return None;
        }
        self.next += 1;
        // SAFETY: `end` is at most the length.
        Some(unsafe { self.read(self.next - 1) })
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        ((self.end - self.next) as usize, Some((self.end - self.next) as usize))
    }

    #[inline(always)]
    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.next = n.min((self.end - self.next) as usize) as u32 + self.next;
        self.next()
    }
}

impl<P: Phase, S: ArrayStorage> DoubleEndedIterator for InnerIter<'_, '_, P, S> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        self.end -= 1;
        // SAFETY: less than the length.
        Some(unsafe { self.read(self.end) })
    }
}

impl<P: Phase, S: ArrayStorage> ExactSizeIterator for InnerIter<'_, '_, P, S> {}
impl<P: Phase, S: ArrayStorage> FusedIterator for InnerIter<'_, '_, P, S> {}

/// The elements of an inner array, to be changed.
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
pub struct InnerIterMut<'a, S: ArrayStorage> {
    elements: Elements<S::Element>,
    next: u32,
    end: u32,
    marker: PhantomData<&'a mut S::Element>,
}

impl<S: ArrayStorage> InnerIterMut<'_, S> {
    /// # Safety
    ///
    /// Nothing else accesses the elements during `'a`.
    #[inline(always)]
    pub(super) unsafe fn new(elements: Elements<S::Element>) -> Self {
        Self { elements, next: 0, end: elements.len() as u32, marker: PhantomData }
    }
}

impl<S: ArrayStorage> fmt::Debug for InnerIterMut<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InnerIterMut({}..{})", self.next, self.end)
    }
}

impl<'a, S: ArrayStorage> Iterator for InnerIterMut<'a, S> {
    type Item = &'a mut S::Element;

    #[inline(always)]
    fn next(&mut self) -> Option<&'a mut S::Element> {
        if self.next >= self.end {
            return None;
        }
        self.next += 1;
        // SAFETY: less than the length, and given out once.
        Some(unsafe { &mut *self.elements.at::<S::Arrangement>((self.next - 1) as usize) })
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        ((self.end - self.next) as usize, Some((self.end - self.next) as usize))
    }
}

impl<'a, S: ArrayStorage> DoubleEndedIterator for InnerIterMut<'a, S> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<&'a mut S::Element> {
        if self.next >= self.end {
            return None;
        }
        self.end -= 1;
        // SAFETY: less than the length, and given out once.
        Some(unsafe { &mut *self.elements.at::<S::Arrangement>(self.end as usize) })
    }
}

impl<S: ArrayStorage> ExactSizeIterator for InnerIterMut<'_, S> {}
impl<S: ArrayStorage> FusedIterator for InnerIterMut<'_, S> {}
