//! Subsets of objects, as users name them: a range of positions, or links.

use std::ops::{Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::slice;

use super::Launch;
use crate::class::Class;
use crate::dispatch::AnyKernel;
use crate::error::Error;
use crate::exec::Part;
use crate::exec::stage::All;
use crate::kernel::Kernel;
use crate::link::Link;
use crate::list::{LinkList, ListedLink};
use crate::place::Place;
use crate::selection::Selection;

/// Runs of the kernels that choose objects, for executors. Nothing outside of this crate can make or change one, so an
/// implementation of [`Subset`] by hand cannot.
#[derive(Clone, Copy, Debug)]
pub struct Filters<'a>(pub(super) &'a [Launch<'a>]);

/// What is done with them.
pub type Filtered<'a> = &'a mut dyn FnMut(Filters<'_>) -> Result<(), Error>;

/// A subset of the objects of kernel `K`: the argument of `over`.
///
/// | | objects |
/// | --- | --- |
/// | `5..`, `2..8`, `..=3` | the objects at these positions, counted from 0 in the order of their ids. For a kernel of one class |
/// | `&links`, `&links[1..]`, `&[a, b]` | the objects of a `Vec`, a slice or an array of links, of the kernel's class or trait. If the links equal those of the previous call, the world reuses that call's list |
/// | `&list` | the objects of a [`LinkList`], which the program keeps |
/// | `&selection` | the objects of a [`Selection`], which [may be a group's](Selection::of_group) |
/// | `..` | all |
///
/// ```
/// use ikra::{LinkList, prelude::*};
/// # #[soa_class] pub struct Body { pub pos: f32 }
/// # #[soa_methods]
/// # impl Body { #[kernel] pub fn advance(&mut self, by: f32) { self.pos += by; } }
/// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut sim = Sim::new();
/// let links: Vec<_> = sim.bodies.extend([1.0, 2.0].map(|pos| Body { pos }))?.collect();
/// sim.over(1..).execute(Body::advance, 1.0);
/// sim.over(&links).execute(Body::advance, 1.0);
/// sim.over(&links[1..]).execute(Body::advance, 1.0);
/// sim.over(&LinkList::new(&links)?).execute(Body::advance, 1.0);
/// assert_eq!(sim.bodies.column(body::pos), [3.0, 6.0]);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name objects for `{K}`",
    label = "names no objects for this kernel",
    note = "`over` takes a range of positions, or a reference to a `Vec`, a slice or an array of links, to a `LinkList` or to a `Selection`",
    note = "a range names objects of one class: for a kernel of a trait, use a list of links",
    note = "links are those of the kernel's class, or of its trait; so are the objects that `select` chooses"
)]
pub trait Subset<W, K> {
    /// The kernels that choose among the objects.
    #[doc(hidden)]
    type Filter;
    /// These kernels.
    #[doc(hidden)]
    fn filter(&self) -> Self::Filter;
    /// The objects among which they choose, as the user wrote it. Their arguments are checked.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`] if an argument is a link to an object that does not exist.
    #[doc(hidden)]
    fn among(&self, world: &W) -> Result<Named<'_, K::Link>, Error>
    where
        K: AnyKernel;
    /// Calls `work` with these kernels and others after them, each as a run for no objects.
    ///
    /// # Errors
    ///
    /// Those of `work`.
    #[doc(hidden)]
    fn with_filters(&self, after: Filters<'_>, work: Filtered<'_>) -> Result<(), Error> {
        work(after)
    }
    /// The objects that they choose at a place; `among` are those that exist.
    ///
    /// # Errors
    ///
    /// As for [executors](super::On#errors).
    #[doc(hidden)]
    fn choose(&self, world: &mut W, place: Place, among: Picked<K::Link>) -> Result<Picked<K::Link>, Error>
    where
        K: AnyKernel,
    {
        let _ = (world, place);
        Ok(among)
    }
}

/// A subset as users name it.
#[derive(Debug)]
pub enum Named<'a, L> {
    /// All objects of the kernel's classes.
    All,
    /// The objects at some positions.
    Range((Bound<usize>, Bound<usize>)),
    /// The objects that these links name.
    Links(&'a [L]),
    /// The objects in a list.
    List(&'a LinkList<L>),
    /// The objects in a list, except those that were removed since it was made.
    Left(&'a LinkList<L>),
}

/// A subset after its checks: ranges are within the class, and lists name no object twice.
#[derive(Debug)]
pub enum Picked<L> {
    /// All objects.
    All,
    /// The objects at these positions.
    Range(Range<usize>),
    /// The objects in a list.
    List(LinkList<L>),
}

impl<L> Picked<L> {
    /// The subset as an executor takes it.
    pub(crate) fn part(&self) -> Part<'_> {
        match self {
            Self::All => Part::All,
            Self::Range(range) => Part::Ranges(slice::from_ref(range)),
            Self::List(list) => Part::List(list.order()),
        }
    }
}

/// The items of [`Subset`] for objects that are named one by one.
macro_rules! chooses_all {
    () => {
        type Filter = All;
        fn filter(&self) -> All {
            All
        }
    };
}

impl<W, K> Subset<W, K> for RangeFull {
    chooses_all!();
    fn among(&self, _: &W) -> Result<Named<'_, K::Link>, Error>
    where
        K: AnyKernel,
    {
        Ok(Named::All)
    }
}

macro_rules! ranges {
    ($($range:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<W, K: Kernel> Subset<W, K> for $range {
            chooses_all!();
            fn among(&self, _: &W) -> Result<Named<'_, K::Link>, Error>
            where
                K: AnyKernel,
            {
                Ok(Named::Range((self.start_bound().cloned(), self.end_bound().cloned())))
            }
        }
    )* };
}
ranges! {
    Range<usize> RangeInclusive<usize> RangeFrom<usize> RangeTo<usize> RangeToInclusive<usize> (Bound<usize>, Bound<usize>)
}

#[diagnostic::do_not_recommend]
impl<W, K: AnyKernel<Link = L>, L: ListedLink> Subset<W, K> for &LinkList<L> {
    chooses_all!();
    fn among(&self, _: &W) -> Result<Named<'_, L>, Error> {
        Ok(Named::List(self))
    }
}

#[diagnostic::do_not_recommend]
impl<W, K: AnyKernel<Link = Link<C>>, C: Class> Subset<W, K> for &Selection<C> {
    chooses_all!();
    fn among(&self, _: &W) -> Result<Named<'_, Link<C>>, Error> {
        Ok(Named::List(self.list()))
    }
}

#[diagnostic::do_not_recommend]
impl<W, K: AnyKernel<Link = L>, L: ListedLink> Subset<W, K> for &[L] {
    chooses_all!();
    fn among(&self, _: &W) -> Result<Named<'_, L>, Error> {
        Ok(Named::Links(self))
    }
}

#[diagnostic::do_not_recommend]
impl<W, K: AnyKernel<Link = L>, L: ListedLink> Subset<W, K> for &Vec<L> {
    chooses_all!();
    fn among(&self, _: &W) -> Result<Named<'_, L>, Error> {
        Ok(Named::Links(self))
    }
}

#[diagnostic::do_not_recommend]
impl<W, K: AnyKernel<Link = L>, L: ListedLink, const N: usize> Subset<W, K> for &[L; N] {
    chooses_all!();
    fn among(&self, _: &W) -> Result<Named<'_, L>, Error> {
        Ok(Named::Links(&self[..]))
    }
}
