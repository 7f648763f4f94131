//! Subsets of objects, as users name them: a range of positions, or links.

use std::ops::{Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::slice;

use crate::class::Class;
use crate::dispatch::AnyKernel;
use crate::exec::Part;
use crate::kernel::Kernel;
use crate::link::Link;
use crate::list::{LinkList, ListedLink};
use crate::selection::Selection;

/// A subset of the objects of kernel `K`: the argument of `over`.
///
/// | | objects |
/// | --- | --- |
/// | `5..`, `2..8`, `..=3` | the objects at these positions, counted from 0 in the order of their ids. For a kernel of one class |
/// | `&links`, `&links[1..]`, `&[a, b]` | the objects of a `Vec`, a slice or an array of links, of the kernel's class or trait. If the links equal those of the previous call, the world reuses that call's list |
/// | `&list` | the objects of a [`LinkList`], which the program keeps |
/// | `&selection` | the objects of a [`Selection`] |
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
    note = "links are those of the kernel's class, or of its trait"
)]
pub trait Subset<K> {
    /// The subset, as the user wrote it.
    #[doc(hidden)]
    fn named(&self) -> Named<'_, K::Link>
    where
        K: AnyKernel;
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
}

/// A subset after its checks: ranges are within the class, and lists name no object twice.
#[derive(Debug)]
pub(crate) enum Picked<L> {
    All,
    Range(Range<usize>),
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

impl<K> Subset<K> for RangeFull {
    fn named(&self) -> Named<'_, K::Link>
    where
        K: AnyKernel,
    {
        Named::All
    }
}

macro_rules! ranges {
    ($($range:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<K: Kernel> Subset<K> for $range {
            fn named(&self) -> Named<'_, K::Link>
            where
                K: AnyKernel,
            {
                Named::Range((self.start_bound().cloned(), self.end_bound().cloned()))
            }
        }
    )* };
}
ranges! {
    Range<usize> RangeInclusive<usize> RangeFrom<usize> RangeTo<usize> RangeToInclusive<usize> (Bound<usize>, Bound<usize>)
}

#[diagnostic::do_not_recommend]
impl<K: AnyKernel<Link = L>, L: ListedLink> Subset<K> for &LinkList<L> {
    fn named(&self) -> Named<'_, L> {
        Named::List(self)
    }
}

#[diagnostic::do_not_recommend]
impl<K: AnyKernel<Link = Link<C>>, C: Class> Subset<K> for &Selection<C> {
    fn named(&self) -> Named<'_, Link<C>> {
        Named::List(self.list())
    }
}

#[diagnostic::do_not_recommend]
impl<K: AnyKernel<Link = L>, L: ListedLink> Subset<K> for &[L] {
    fn named(&self) -> Named<'_, L> {
        Named::Links(self)
    }
}

#[diagnostic::do_not_recommend]
impl<K: AnyKernel<Link = L>, L: ListedLink> Subset<K> for &Vec<L> {
    fn named(&self) -> Named<'_, L> {
        Named::Links(self)
    }
}

#[diagnostic::do_not_recommend]
impl<K: AnyKernel<Link = L>, L: ListedLink, const N: usize> Subset<K> for &[L; N] {
    fn named(&self) -> Named<'_, L> {
        Named::Links(&self[..])
    }
}
