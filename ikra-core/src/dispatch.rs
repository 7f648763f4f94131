//! Objects of several classes that share a trait: the types behind `#[soa_dispatch]`.
//!
//! | ordinary Rust, C++ | here |
//! | --- | --- |
//! | `&dyn Actor`: an object's address and a table of functions | [`AnyLink<Actor>`](AnyLink): 4 bytes, the class in the top bits, the object's id below |
//! | a call reads the table, then jumps to an address in it | a call compares bits, and reads no memory (TYPEPTR §6) |
//! | any number of classes, known when the program runs | those in the list, known when it is compiled |

mod atomic;
mod bits;
mod handle;
mod link;

pub use bits::{LinkBits, LinkWords, Narrow, Wide};
pub use handle::{AnyHandle, Downcast, Found};
pub use link::{AnyLink, Extends, OtherClass};

use core::fmt::Debug;
use core::marker::PhantomData;

use crate::class::Class;
use crate::directory::{TableRef, Targets};
use crate::handle::{Follow, Handle, check};
use crate::info::ClassId;
use crate::link::Link;
use crate::panics::was_removed;
use crate::phase::Phase;

/// A trait under `#[soa_dispatch]`, as a type: it stands for all objects of the classes in its list.
///
/// Only the attribute implements it.
///
/// ```
/// use ikra::{dispatch::AnyLink, dispatch::Dispatch, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_class] pub struct Bus { pub seats: u32 }
/// # #[soa_dispatch(Car, Bus)] pub trait Actor { fn pace(&self) -> u32 { 50 } }
/// # #[soa_methods] impl Actor for Car {} #[soa_methods] impl Actor for Bus {}
///
/// fn describe<D: Dispatch>(links: &[AnyLink<D>]) -> String { format!("{} × {}", links.len(), D::NAME) }
/// let links: [ActorLink; 1] = [Link::<Bus>::from_index(0).unwrap().into()];
/// assert_eq!(describe(&links), "1 × Actor");
/// ```
///
/// # Safety
///
/// The lists have one entry per class, in the same order, and no class occurs twice.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a trait under `#[soa_dispatch]`",
    label = "not under `#[soa_dispatch]`"
)]
pub unsafe trait Dispatch: Referent<Link = AnyLink<Self>> + Sized + Send + Sync {
    /// The trait's name.
    const NAME: &'static str;
    /// The classes, as nested [`Then`]s.
    #[doc(hidden)]
    type Classes;
    /// The classes, as data.
    #[doc(hidden)]
    const CLASSES: &'static [ClassId];
    /// The numbers by which host and device compare the classes.
    #[doc(hidden)]
    const MEANINGS: &'static [u64];
    /// The encoding of a link: [`Narrow`] or [`Wide`].
    #[doc(hidden)]
    type Bits: LinkBits;
    /// A link, by class.
    type Links;

    /// The number of objects of the class with this number.
    #[doc(hidden)]
    fn count(tag: usize, place: TableRef<'_>) -> u32;
    /// The number of the first class with objects; 0 if there are no objects. It has no loop, so that it vanishes where
    /// it is not needed.
    #[doc(hidden)]
    fn some(targets: Targets<'_>) -> usize;
    /// The link, by the class of its object.
    #[doc(hidden)]
    fn links(link: AnyLink<Self>) -> Self::Links;
    /// Makes a ref.
    #[doc(hidden)]
    fn to_ref<'w, P: Phase>(object: AnyHandle<'w, Self, P>) -> Self::Ref<'w, P>;
    /// Takes a ref apart.
    #[doc(hidden)]
    fn from_ref<'w, P: Phase>(object: Self::Ref<'w, P>) -> AnyHandle<'w, Self, P>;
}

/// A class, and the classes after it.
#[derive(Debug)]
pub struct Then<C, Rest>(PhantomData<fn() -> (C, Rest)>);

/// The end of a list of classes.
#[derive(Debug)]
pub struct Done;

/// Proof that a class is in the list of a trait, so that a link to one of its objects can become a link of the trait.
///
/// ```
/// use ikra::{dispatch::AnyLink, Class, dispatch::Includes, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_class] pub struct Bus { pub seats: u32 }
/// # #[soa_dispatch(Car, Bus)] pub trait Actor { fn pace(&self) -> u32 { 50 } }
/// # #[soa_methods] impl Actor for Car {} #[soa_methods] impl Actor for Bus {}
///
/// fn all<C: Class, D: Includes<C>>(links: &[Link<C>]) -> Vec<AnyLink<D>> {
///     links.iter().map(|link| AnyLink::from(*link)).collect()
/// }
/// let bus: Link<Bus> = Link::from_index(0).unwrap();
/// let links: Vec<ActorLink> = all(&[bus]);
/// assert_eq!(Link::<Bus>::try_from(links[0]).ok(), Some(bus));
/// ```
///
/// # Safety
///
/// `CLASSES[TAG]` is the id of `C`.
#[diagnostic::on_unimplemented(
    message = "class `{C}` is not in the list of `{Self}`",
    label = "not among the classes of `{Self}`",
    note = "add it to `#[soa_dispatch(…)]` of `{Self}`"
)]
pub unsafe trait Includes<C: Class>: Dispatch {
    /// The class's index in the list: the number in the top bits of a link.
    #[doc(hidden)]
    const TAG: usize;
}

/// Proof that a class has the methods of a trait: `#[soa_methods] impl Actor for Car` exists.
///
/// ```
/// use ikra::{dispatch::Implements, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_class] pub struct Bus { pub seats: u32 }
/// # #[soa_dispatch(Car, Bus)] pub trait Actor { fn pace(&self) -> u32 { 50 } }
/// # #[soa_methods] impl Actor for Car {} #[soa_methods] impl Actor for Bus {}
///
/// fn is_actor<C: Implements<Actor>>() {}
/// is_actor::<Car>();
/// ```
#[diagnostic::on_unimplemented(
    message = "class `{Self}` does not implement `{D}`",
    label = "in the list, and does not implement the trait",
    note = "write `#[soa_methods] impl {D} for {Self} {{ … }}`, or take the class off the list"
)]
pub trait Implements<D>: Class {
    /// The length of an array whose type depends on the implementation.
    #[doc(hidden)]
    const ONE: usize = 1;
}

/// The target of `Ref<X>` in a method: an object of a class, or of one of the classes that share a trait.
///
/// ```
/// use ikra::{dispatch::Referent, Sequential, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// let car = town.cars.push(Car { km: 7 })?;
/// // `Ref<Car>` in a method; here in sequential code.
/// let car: <Car as Referent>::Ref<'_, Sequential> = town.get(car);
/// assert_eq!(car.km(), 7);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a class nor a trait under `#[soa_dispatch]`",
    label = "not under `#[soa_class]` or `#[soa_dispatch]`",
    note = "put `#[soa_class]` on the struct, or `#[soa_dispatch(Class, …)]` on the trait"
)]
pub trait Referent: 'static {
    /// The type that columns store: [`Link<C>`](Link), or [`AnyLink<D>`](AnyLink).
    type Link: Follow;
    /// The object, read through getters and methods.
    type Ref<'w, P: Phase>: Copy + Debug;
}

impl<C: Class> Referent for C {
    type Link = Link<C>;
    type Ref<'w, P: Phase> = C::Ref<'w, P>;
}

impl<D: Dispatch> Follow for AnyLink<D> {
    #[inline(always)]
    #[track_caller]
    fn follow<'w, C: Class, P: Phase>(self, from: Handle<'w, C, P>) -> D::Ref<'w, P> {
        let (tag, index) = self.parts();
        let place = from.place().beside(|| D::CLASSES[tag]);
        check(D::CLASSES[tag], index, D::count(tag, place));
        if place.is_removed(index as usize) {
            was_removed(D::CLASSES[tag].name(), index + 1);
        }
        // SAFETY: 1. `beside` returns the address of a table of the class, or of an absent one; the object exists; 2.
        // it is in the same world.
        D::to_ref(unsafe { AnyHandle::new(self, place, from.facts().of_linked_object()) })
    }
}
