//! Lists of links: looked at once, for any number of executions.

mod last;
mod order;
mod sets;
#[cfg(test)]
mod tests;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

pub use ikra_core::dispatch::LinkWords;
use ikra_core::dispatch::{AnyLink, Dispatch};

use crate::class::Class;
use crate::error::Error;
use crate::info::ClassId;
use crate::link::Link;

pub use last::LastList;
pub use order::{ListMemory, ListOrder};
pub(crate) use order::{Listed, Run, Runs};

/// Links to different objects, of one class or of the classes that share a trait: what [`over`](crate::world::World::over) makes of a slice.
///
/// When the list is made it is checked that no object is there twice, and the links are put in order: by class (job reordering,
/// RUBY §4.1), and those of a class by id, so that memory is read and written from front to back, whatever the order of the
/// slice. For a GPU each class starts at a multiple of 32, so that no warp works for two. It takes linear time, but for few
/// links to objects that are far apart, which are sorted. A program that executes kernels for the same objects again makes the
/// list once; a GPU then keeps it.
///
/// ```
/// use ikra::LinkList;
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Body { pub pos: f32 }
/// #[soa_methods]
/// impl Body { #[kernel] pub fn advance(&mut self, by: f32) { self.pos += by; } }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// let links: Vec<_> = sim.bodies.extend([1.0, 2.0, 3.0].map(|pos| Body { pos }))?.collect();
/// let some = LinkList::new(&[links[2], links[0]])?;
/// for _ in 0..10 {
///     sim.over(&some).execute(Body::advance, 1.0);
/// }
/// assert_eq!(sim.bodies.column(body::pos), [11.0, 2.0, 13.0]);
/// assert!(LinkList::new(&[links[2], links[2]]).is_err());
/// # Ok(()) }
/// ```
pub struct LinkList<L> {
    order: Arc<ListOrder>,
    links: PhantomData<fn() -> L>,
}

impl<L: ListedLink> LinkList<L> {
    /// The list of the links in a slice.
    ///
    /// # Errors
    ///
    /// [`Error::Duplicate`] if an object is there twice.
    pub fn new(links: &[L]) -> Result<Self, Error> {
        Ok(Self::of(ListOrder::new(sets::listed(links)?)))
    }

    /// The list of these objects.
    pub(crate) fn of(order: ListOrder) -> Self {
        Self { order: Arc::new(order), links: PhantomData }
    }
}

impl<L> LinkList<L> {
    /// How many links there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it is, whatever the links.
    pub(crate) fn order(&self) -> &Arc<ListOrder> {
        &self.order
    }
}

impl<L> Clone for LinkList<L> {
    fn clone(&self) -> Self {
        Self { order: self.order.clone(), links: PhantomData }
    }
}

impl<L> fmt::Debug for LinkList<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LinkList of {}", self.len())
    }
}

/// A link of which there are lists: [`Link<C>`](Link) or [`AnyLink<D>`](AnyLink).
///
/// ```
/// use ikra::{LinkList, ListedLink, prelude::*};
///
/// /// Those at even places.
/// fn every_other<L: ListedLink>(links: &[L]) -> Result<LinkList<L>, ikra::Error> {
///     LinkList::new(&links.iter().copied().step_by(2).collect::<Vec<_>>())
/// }
/// # #[soa_class] pub struct Body { pub pos: f32 }
/// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut sim = Sim::new();
/// let links: Vec<_> = sim.bodies.extend([1.0, 2.0, 3.0].map(|pos| Body { pos }))?.collect();
/// assert_eq!(every_other(&links)?.len(), 2);
/// # Ok(()) }
/// ```
pub trait ListedLink: Copy + Eq + Send + Sync + 'static {
    /// The classes.
    #[doc(hidden)]
    const CLASSES: &'static [ClassId];
    /// The number of the object's class, and its index in that class.
    #[doc(hidden)]
    fn parts(self) -> (usize, u32);
    /// Links as they are stored, if that is class and id.
    #[doc(hidden)]
    fn words(links: &[Self]) -> Option<LinkWords<'_>>;
}

impl<C: Class> ListedLink for Link<C> {
    const CLASSES: &'static [ClassId] = &[C::ID];
    #[inline(always)]
    fn parts(self) -> (usize, u32) {
        (0, self.index() as u32)
    }
    fn words(links: &[Self]) -> Option<LinkWords<'_>> {
        Some(LinkWords::Narrow(Link::words(links)))
    }
}

impl<D: Dispatch> ListedLink for AnyLink<D> {
    const CLASSES: &'static [ClassId] = D::CLASSES;
    #[inline(always)]
    fn parts(self) -> (usize, u32) {
        Self::parts(self)
    }
    fn words(links: &[Self]) -> Option<LinkWords<'_>> {
        Self::words(links)
    }
}

/// Makes a list of links.
#[doc(hidden)]
pub type Make<'a, L> = dyn FnMut(&[L]) -> Result<LinkList<L>, Error> + 'a;

/// Links that a place is asked to put in order.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unordered<'a> {
    /// Their classes, by number.
    pub classes: &'static [ClassId],
    /// Where they are.
    pub links: Stored<'a>,
}

/// Where links are.
#[derive(Debug)]
#[non_exhaustive]
pub enum Stored<'a> {
    /// In the host's memory.
    Host(LinkWords<'a>),
    /// In the column of a field, as [`LinkWords`].
    Column {
        /// The class whose field it is.
        class: ClassId,
        /// The field's number.
        field: usize,
        /// Whether links have eight bytes.
        is_wide: bool,
    },
}

impl<'a> Unordered<'a> {
    /// Links of the host, if a place may know what they are.
    pub(crate) fn slice<L: ListedLink>(links: &'a [L]) -> Option<Self> {
        Some(Self { classes: L::CLASSES, links: Stored::Host(L::words(links)?) })
    }

    /// Those of a column.
    pub(crate) fn column<C: Class, L: ListedLink>(field: usize) -> Option<Self> {
        let is_wide = matches!(L::words(&[])?, LinkWords::Wide(_));
        Some(Self { classes: L::CLASSES, links: Stored::Column { class: C::ID, field, is_wide } })
    }
}
