//! Lists of links, which are checked and sorted once and then serve any number of executions.

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

/// Links to different objects of one class, or of the classes that share a trait. [`over`](crate::world::World::over)
/// makes one from a slice.
///
/// Making the list checks that it names no object twice, and sorts the links by class (job reordering, RUBY §4.1), then
/// by id. Kernels then access memory from front to back, whatever the order of the slice. For a GPU each class starts
/// at a multiple of 32, so that no warp works for two classes. Sorting takes linear time, except for a few links to
/// objects that are far apart. A program that runs kernels for the same objects again should make the list once; a GPU
/// then keeps it.
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
    /// Makes a list from a slice of links.
    ///
    /// # Errors
    ///
    /// [`Error::Duplicate`] if an object occurs twice.
    pub fn new(links: &[L]) -> Result<Self, Error> {
        Ok(Self::of(ListOrder::new(sets::listed(links)?)))
    }

    /// The list of these objects.
    pub(crate) fn of(order: ListOrder) -> Self {
        Self { order: Arc::new(order), links: PhantomData }
    }
}

impl<L> LinkList<L> {
    /// The number of links.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The list without the link type.
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

/// A link that a list can hold: [`Link<C>`](Link) or [`AnyLink<D>`](AnyLink).
///
/// ```
/// use ikra::{LinkList, ListedLink, prelude::*};
///
/// /// The links at even positions.
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
    /// The links as stored in memory, if they are stored as class and id.
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

/// Links for a place to sort.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unordered<'a> {
    /// Their classes, by number.
    pub classes: &'static [ClassId],
    /// The memory that holds them.
    pub links: Stored<'a>,
}

/// The memory that holds links.
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
    /// Links in the host's memory, if a place can read their format.
    pub(crate) fn slice<L: ListedLink>(links: &'a [L]) -> Option<Self> {
        Some(Self { classes: L::CLASSES, links: Stored::Host(L::words(links)?) })
    }

    /// The links of a column.
    pub(crate) fn column<C: Class, L: ListedLink>(field: usize) -> Option<Self> {
        let is_wide = matches!(L::words(&[])?, LinkWords::Wide(_));
        Some(Self { classes: L::CLASSES, links: Stored::Column { class: C::ID, field, is_wide } })
    }
}
