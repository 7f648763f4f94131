//! Iteration over links and rows.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::Range;

use crate::class::Class;
use crate::link::Link;
use crate::objects::Objects;

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
    range: Range<usize>,
    class: PhantomData<fn() -> C>,
}

impl<C> Links<C> {
    pub(crate) fn new(first: usize, end: usize) -> Self {
        Self { range: first..end, class: PhantomData }
    }
}

impl<C> Clone for Links<C> {
    fn clone(&self) -> Self {
        Self::new(self.range.start, self.range.end)
    }
}

impl<C: Class> fmt::Debug for Links<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<C> Iterator for Links<C> {
    type Item = Link<C>;
    fn next(&mut self) -> Option<Link<C>> {
        self.range.next().map(|index| Link::at(index as u32))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
    fn nth(&mut self, n: usize) -> Option<Link<C>> {
        self.range.nth(n).map(|index| Link::at(index as u32))
    }
    fn fold<B, F: FnMut(B, Link<C>) -> B>(self, init: B, mut f: F) -> B {
        self.range.fold(init, |folded, index| f(folded, Link::at(index as u32)))
    }
}
impl<C> DoubleEndedIterator for Links<C> {
    fn next_back(&mut self) -> Option<Link<C>> {
        self.range.next_back().map(|index| Link::at(index as u32))
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
    // All of them are initialised.
    objects: &'a Objects<C>,
    // To some of them.
    links: Links<C>,
}

impl<C: Class> fmt::Debug for Rows<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rows").field(&self.links).finish()
    }
}

impl<C: Class> Iterator for Rows<'_, C> {
    type Item = C;
    fn next(&mut self) -> Option<C> {
        // SAFETY: one of the objects' links.
        self.links.next().map(|link| unsafe { self.objects.row(link) })
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.links.size_hint()
    }
    fn nth(&mut self, n: usize) -> Option<C> {
        // SAFETY: one of the objects' links.
        self.links.nth(n).map(|link| unsafe { self.objects.row(link) })
    }
    fn fold<B, F: FnMut(B, C) -> B>(self, init: B, mut f: F) -> B {
        // SAFETY: one of the objects' links.
        self.links.fold(init, |folded, link| f(folded, unsafe { self.objects.row(link) }))
    }
}
impl<C: Class> DoubleEndedIterator for Rows<'_, C> {
    fn next_back(&mut self) -> Option<C> {
        // SAFETY: one of the objects' links.
        self.links.next_back().map(|link| unsafe { self.objects.row(link) })
    }
}
impl<C: Class> ExactSizeIterator for Rows<'_, C> {}
impl<C: Class> FusedIterator for Rows<'_, C> {}

impl<C: Class> Objects<C> {
    /// The links to all objects.
    pub fn links(&self) -> Links<C> {
        Links::new(0, self.len())
    }

    /// The links to the objects from index `first` on.
    #[doc(hidden)]
    pub fn links_from(&self, first: usize) -> Links<C> {
        Links::new(first, self.len())
    }

    /// All objects as rows, by value.
    ///
    /// # Panics
    ///
    /// If a reserved object is not initialised.
    #[track_caller]
    pub fn iter(&self) -> Rows<'_, C> {
        self.assert_initialized();
        Rows { objects: self, links: self.links() }
    }
}

impl<'a, C: Class> IntoIterator for &'a Objects<C> {
    type Item = C;
    type IntoIter = Rows<'a, C>;
    fn into_iter(self) -> Rows<'a, C> {
        self.iter()
    }
}
