//! Iteration over links and rows.

use std::fmt;
use std::hint::assert_unchecked;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::Range;

use crate::class::Class;
use crate::link::Link;
use crate::objects::{MAX_OBJECTS, Objects};
use ikra_core::effects::FieldSet;
use ikra_core::facts::Facts;

/// Links to consecutive objects, in the order of their ids.
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # #[derive(Debug)]
/// # pub struct Body { pub mass: f32 }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// let links: ikra::Links<Body> = sim.bodies.extend([1.0, 2.0].map(|mass| Body { mass }))?;
/// assert_eq!(links.map(|link| link.id()).collect::<Vec<_>>(), [1, 2]);
/// # Ok(()) }
/// ```
pub struct Links<C> {
    // At most `MAX_OBJECTS`. It is not `u32`, because the compiler would pack two of these into one register, and not
    // recognise a counting loop.
    range: Range<usize>,
    /// The indices at these positions, if objects were removed among them.
    live: Option<Box<[u32]>>,
    class: PhantomData<fn() -> C>,
}

impl<C> Links<C> {
    pub(crate) fn new(first: usize, end: usize) -> Self {
        debug_assert!(end <= MAX_OBJECTS);
        Self { range: first..end.min(MAX_OBJECTS), live: None, class: PhantomData }
    }

    /// The link at a position in the range.
    #[inline(always)]
    fn link(live: &Option<Box<[u32]>>, index: usize) -> Link<C> {
        if let Some(live) = live {
            return Link::at(live[index]);
        }
        // SAFETY: `new` takes only ranges that end at `MAX_OBJECTS` or before.
        unsafe { assert_unchecked(index < MAX_OBJECTS) };
        // SAFETY: the index is less than `MAX_OBJECTS`, so it is less than `u32::MAX`.
        unsafe { Link::at_unchecked(index as u32) }
    }
}

impl<C> Clone for Links<C> {
    fn clone(&self) -> Self {
        Self { range: self.range.clone(), live: self.live.clone(), class: PhantomData }
    }
}

impl<C: Class> fmt::Debug for Links<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<C> Iterator for Links<C> {
    type Item = Link<C>;
    #[inline]
    fn next(&mut self) -> Option<Link<C>> {
        self.range.next().map(|index| Self::link(&self.live, index))
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
    #[inline]
    fn nth(&mut self, n: usize) -> Option<Link<C>> {
        self.range.nth(n).map(|index| Self::link(&self.live, index))
    }
    fn last(mut self) -> Option<Link<C>> {
        self.next_back()
    }
    #[inline]
    fn fold<B, F: FnMut(B, Link<C>) -> B>(self, init: B, mut f: F) -> B {
        self.range.fold(init, |folded, index| f(folded, Self::link(&self.live, index)))
    }
}
impl<C> DoubleEndedIterator for Links<C> {
    #[inline]
    fn next_back(&mut self) -> Option<Link<C>> {
        self.range.next_back().map(|index| Self::link(&self.live, index))
    }
}
impl<C> ExactSizeIterator for Links<C> {}
impl<C> FusedIterator for Links<C> {}

/// The objects of a class as rows, in the order of their ids.
/// ```
/// use ikra::prelude::*;
/// # #[soa_class]
/// # #[derive(Debug)]
/// # pub struct Body { pub mass: f32 }
/// # #[soa_world]
/// # pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// sim.bodies.extend([1.0, 2.0].map(|mass| Body { mass }))?;
/// for body in &sim.bodies {
///     assert!(body.mass > 0.0);
/// }
/// assert_eq!(sim.bodies.iter().rev().next().unwrap().mass, 2.0);
/// # Ok(()) }
/// ```
pub struct Rows<'a, C: Class> {
    // All of these objects are initialised.
    objects: &'a Objects<C>,
    // The indices of some of them, or positions in `live`.
    indices: Range<usize>,
    /// If objects were removed: the indices at these positions.
    live: Option<&'a [u32]>,
    /// The known facts about all of them.
    facts: Facts,
}

impl<C: Class> Rows<'_, C> {
    /// The row of the object at a position. Even a removed one has values (I32).
    ///
    /// # Safety
    ///
    /// It is one of `indices`.
    #[inline(always)]
    unsafe fn row(&self, index: usize) -> C {
        let index = self.live.map_or(index, |live| live[index] as usize);
        if !self.facts.is_last() {
            self.objects.table().fetch_object(FieldSet::ALL, index);
        }
        // SAFETY: 1. the object exists, by the caller; 2. its fields are current by `facts`, or were just fetched.
        unsafe { self.objects.last_row(index) }
    }
}

impl<C: Class> fmt::Debug for Rows<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows<{}>({} objects)", C::NAME, self.indices.len())
    }
}

impl<C: Class> Iterator for Rows<'_, C> {
    type Item = C;
    #[inline]
    fn next(&mut self) -> Option<C> {
        // SAFETY: one of the objects' indices.
        self.indices.next().map(|index| unsafe { self.row(index) })
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.indices.size_hint()
    }
    #[inline]
    fn nth(&mut self, n: usize) -> Option<C> {
        // SAFETY: one of the objects' indices.
        self.indices.nth(n).map(|index| unsafe { self.row(index) })
    }
    #[inline]
    fn fold<B, F: FnMut(B, C) -> B>(self, init: B, mut f: F) -> B {
        // SAFETY: one of the objects' indices.
        self.indices.clone().fold(init, |folded, index| f(folded, unsafe { self.row(index) }))
    }
}
impl<C: Class> DoubleEndedIterator for Rows<'_, C> {
    #[inline]
    fn next_back(&mut self) -> Option<C> {
        // SAFETY: one of the objects' indices.
        self.indices.next_back().map(|index| unsafe { self.row(index) })
    }
}
impl<C: Class> ExactSizeIterator for Rows<'_, C> {}
impl<C: Class> FusedIterator for Rows<'_, C> {}

impl<C: Class> Objects<C> {
    /// The links to all objects.
    #[inline]
    pub fn links(&self) -> Links<C> {
        match self.live_positions() {
            (range, None) => Links::new(range.start, range.end),
            (range, Some(live)) => Links { range, live: Some(live.into()), class: PhantomData },
        }
    }

    /// The links to the objects, from index `first` on.
    #[doc(hidden)]
    pub fn links_from(&self, first: usize) -> Links<C> {
        Links::new(first, self.slots())
    }

    /// All objects as rows, by value.
    ///
    /// # Panics
    ///
    /// If a reserved object is not initialised.
    #[inline]
    #[track_caller]
    pub fn iter(&self) -> Rows<'_, C> {
        self.assert_initialized();
        let (indices, live) = self.live_positions();
        Rows { objects: self, indices, live, facts: self.table().facts() }
    }

    /// The indices of the objects, or positions in a list of them if objects were removed.
    fn live_positions(&self) -> (Range<usize>, Option<&[u32]>) {
        if self.holes() == 0 {
            return (0..self.slots(), None);
        }
        // Columns of a device that failed are reported in the same way.
        let live = self.live_list().objects().unwrap_or_else(|error| panic!("class {}: {error}", C::NAME));
        (0..self.len(), Some(&live[..self.len()]))
    }
}

impl<'a, C: Class> IntoIterator for &'a Objects<C> {
    type Item = C;
    type IntoIter = Rows<'a, C>;
    fn into_iter(self) -> Rows<'a, C> {
        self.iter()
    }
}
