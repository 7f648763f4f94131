//! Lists of links: looked at once, for any number of executions.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use ikra_core::dispatch::{AnyLink, Dispatch};

use crate::class::Class;
use crate::error::Error;
use crate::info::ClassId;
use crate::link::Link;
use crate::reorder::Reordered;

/// Links to different objects, of one class or of the classes that share a trait: what `execute_each` makes of a slice.
///
/// That no object is there twice is checked when the list is made, and links of several classes are put in order by class, each
/// class from a multiple of 32 on, so that no warp of a GPU works for two (job reordering, RUBY §4.1). A program that
/// executes kernels for the same objects again makes the list once; a GPU then keeps it.
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
///     sim.execute_each(Body::advance, &some, 1.0)?;
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
        let reordered = Reordered::new(links, L::CLASSES.len(), |_, link| link.parts());
        let largest = (0..L::CLASSES.len()).map(|class| {
            let duplicate = |index| Error::Duplicate { class: L::CLASSES[class].name(), id: index + 1 };
            largest_distinct(reordered.of(class)).map_err(duplicate)
        });
        let largest = largest.collect::<Result<_, _>>()?;
        Ok(Self { order: Arc::new(ListOrder { reordered, largest }), links: PhantomData })
    }
}

impl<L> LinkList<L> {
    /// How many links there are.
    #[must_use]
    pub fn len(&self) -> usize {
        (0..self.order.largest.len()).map(|class| self.order.places_of(class).len()).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.objects().is_empty()
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

/// A list without the type of its links: of each class its objects, none of them twice.
#[derive(Debug)]
pub struct ListOrder {
    reordered: Reordered,
    /// The largest index of an object of each class.
    largest: Vec<Option<u32>>,
}

impl ListOrder {
    /// The objects of all classes; where a class starts they start at a multiple of 32.
    #[must_use]
    pub fn objects(&self) -> &[u32] {
        self.reordered.all()
    }

    /// Where those of a class are among them.
    ///
    /// # Panics
    ///
    /// If there is no such class.
    #[must_use]
    pub fn places_of(&self, class: usize) -> Range<usize> {
        self.reordered.places_of(class)
    }

    /// The objects of the class with a number, which has so many.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`] if one of them is not among those.
    pub(crate) fn objects_of<C: Class>(&self, class: usize, len: usize) -> Result<&[u32], Error> {
        match self.largest[class] {
            Some(index) if index as usize >= len => Err(Error::NotInWorld { class: C::NAME, id: index + 1, len }),
            _ => Ok(self.reordered.of(class)),
        }
    }
}

/// The largest number, or one that is there twice.
fn largest_distinct(numbers: &[u32]) -> Result<Option<u32>, u32> {
    let Some(&largest) = numbers.iter().max() else { return Ok(None) };
    if numbers.is_sorted_by(|a, b| a < b) {
        return Ok(Some(largest));
    }
    let duplicate = if numbers.len() < largest as usize / 64 {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
    } else {
        let mut seen = FixedBitSet::with_capacity(largest as usize + 1);
        numbers.iter().copied().find(|&number| seen.put(number as usize))
    };
    duplicate.map_or(Ok(Some(largest)), Err)
}

/// A link of which there are lists: [`Link<C>`](Link) or [`AnyLink<D>`](AnyLink).
pub trait ListedLink: Copy + Send + Sync + 'static {
    /// The classes.
    #[doc(hidden)]
    const CLASSES: &'static [ClassId];
    /// The number of the object's class, and its index in that class.
    #[doc(hidden)]
    fn parts(self) -> (usize, u32);
}

impl<C: Class> ListedLink for Link<C> {
    const CLASSES: &'static [ClassId] = &[C::ID];
    fn parts(self) -> (usize, u32) {
        (0, self.index() as u32)
    }
}

impl<D: Dispatch> ListedLink for AnyLink<D> {
    const CLASSES: &'static [ClassId] = D::CLASSES;
    fn parts(self) -> (usize, u32) {
        Self::parts(self)
    }
}

/// What `execute_each` takes: a slice, an array or a `Vec` of links, or a [`LinkList`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of `{L}`",
    label = "not links of the kernel's class",
    note = "give `execute_each` a slice, an array or a `Vec` of `{L}`, or a `LinkList<{L}>`"
)]
pub trait AsLinkList<L> {
    /// The list.
    ///
    /// # Errors
    ///
    /// [`Error::Duplicate`] if an object is there twice.
    #[doc(hidden)]
    fn as_link_list(&self) -> Result<LinkList<L>, Error>;
}

impl<L> AsLinkList<L> for LinkList<L> {
    fn as_link_list(&self) -> Result<Self, Error> {
        Ok(self.clone())
    }
}

impl<L: ListedLink> AsLinkList<L> for [L] {
    fn as_link_list(&self) -> Result<LinkList<L>, Error> {
        LinkList::new(self)
    }
}

impl<L: ListedLink> AsLinkList<L> for Vec<L> {
    fn as_link_list(&self) -> Result<LinkList<L>, Error> {
        LinkList::new(self)
    }
}

impl<L: ListedLink, const N: usize> AsLinkList<L> for [L; N] {
    fn as_link_list(&self) -> Result<LinkList<L>, Error> {
        LinkList::new(self)
    }
}
