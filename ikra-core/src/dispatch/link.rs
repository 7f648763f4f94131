//! The link to an object of one of several classes.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::num::NonZeroU32;

use super::{AnyHandle, Dispatch, Includes, LinkBits, LinkWords};
use crate::class::Class;
use crate::directory::Targets;
use crate::info::ClassId;
use crate::link::Link;
use crate::moves::Moves;
use crate::origin::meaning;
use crate::panics::too_many_for_link;
use crate::phase::Phase;
use crate::value::{BadLink, LaneArray, Value};

/// A link to an object of one of the classes that share a trait: 4 bytes, and so is an `Option` of it.
///
/// `#[soa_dispatch(Car, Pedestrian)] trait Actor` calls it `ActorLink`. The class is in the top bits, as many as the classes
/// need, and the object's id in the others (TYPEPTR §6), so that a call on the object reads no memory to learn its class. With
/// `wide` it takes 8 bytes, and names 2³² − 1 objects per class whatever the number of classes.
///
/// It is made of a `Link<Car>` by `into()`, and becomes one again by `try_from`, or by `class()`, a `match` over all classes.
///
/// It is a type of its own, and not a `Link<Actor>`, because Rust allows no `From<Link<Car>> for Link<Actor>` beside its own
/// `From<T> for T`.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Car { pub wheels: u32 }
/// #[soa_class]
/// pub struct Pedestrian { pub age: u32 }
///
/// #[soa_dispatch(Car, Pedestrian)]
/// pub trait Actor { fn feet(&self) -> u32; }
/// #[soa_methods]
/// impl Actor for Car { fn feet(&self) -> u32 { self.wheels } }
/// #[soa_methods]
/// impl Actor for Pedestrian { fn feet(&self) -> u32 { 2 } }
///
/// #[soa_world]
/// pub struct Town { pub cars: Objects<Car>, pub pedestrians: Objects<Pedestrian> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut town = Town::new();
/// let car: ActorLink = town.cars.push(Car { wheels: 4 })?.into();
/// let walker: ActorLink = town.pedestrians.push(Pedestrian { age: 30 })?.into();
/// assert_eq!([car, walker].map(|actor| town.get(actor).feet()), [4, 2]);
/// assert!(matches!(walker.class(), ActorIs::Pedestrian(link) if town.get(link).age() == 30));
/// assert!(Link::<Car>::try_from(walker).is_err());
/// assert_eq!(size_of::<Option<ActorLink>>(), 4);
/// # Ok(()) }
/// ```
#[repr(transparent)]
pub struct AnyLink<D: Dispatch> {
    bits: D::Bits,
}

impl<D: Dispatch> AnyLink<D> {
    /// The link, as that of its class: a `match` over it looks at every class.
    #[inline(always)]
    pub fn class(self) -> D::Links {
        D::links(self)
    }

    /// The number of the object's class in the trait's list, and the object's index in that class.
    #[doc(hidden)]
    #[inline(always)]
    pub fn parts(self) -> (usize, u32) {
        let (tag, id) = self.bits.parts(D::CLASSES.len());
        (tag, id.wrapping_sub(1))
    }

    /// Links as they are stored, if that is class and id.
    #[doc(hidden)]
    pub fn words(links: &[Self]) -> Option<LinkWords<'_>> {
        // SAFETY: `repr(transparent)`: a slice of bits of the same length.
        D::Bits::words(unsafe { core::slice::from_raw_parts(links.as_ptr().cast(), links.len()) })
    }

    /// The link as it is, if it is a word.
    #[inline(always)]
    pub(super) fn word(self) -> u32 {
        self.bits.parts(1).1
    }

    /// The number of the object's class.
    #[inline(always)]
    pub(super) fn tag(self) -> usize {
        self.parts().0
    }

    /// The link, if it is one to an object of class `C`.
    #[inline(always)]
    pub(crate) fn downcast<C: Class>(self) -> Option<Link<C>>
    where
        D: Includes<C>,
    {
        let (tag, index) = self.parts();
        (tag == D::TAG).then(|| Link::at(index))
    }

    /// The same link where another trait is asked for, which all classes of this one implement: a supertrait.
    #[inline]
    pub fn upcast<E: Dispatch>(self) -> AnyLink<E>
    where
        D: Extends<E>,
    {
        // What is no link becomes one to the last object that there can be.
        let (tag, index) = self.parts();
        AnyLink::at(D::TAGS[tag], index)
    }

    /// The bits: 0 for `None`.
    #[inline(always)]
    pub(crate) fn number(of: Option<Self>) -> <D::Bits as LinkBits>::Number {
        D::Bits::number(of.map(|link| link.bits))
    }

    /// The link of these bits, unless they are 0.
    #[inline(always)]
    pub(crate) fn of_number(bits: <D::Bits as LinkBits>::Number) -> Option<Self> {
        D::Bits::of_number(bits).map(|bits| Self { bits })
    }

    /// The link to the object at an index of the class with a number; to the last possible one for an index that none can have.
    #[inline(always)]
    pub(super) fn at(tag: usize, index: u32) -> Self {
        Self::pack(tag, NonZeroU32::new(index.wrapping_add(1)).unwrap_or(NonZeroU32::MAX))
    }

    #[inline(always)]
    fn pack(tag: usize, id: NonZeroU32) -> Self {
        let classes = D::CLASSES.len();
        if id.get() > D::Bits::largest_id(classes) {
            too_many_for_link(D::CLASSES[tag].name(), D::NAME, id.get(), D::Bits::largest_id(classes));
        }
        Self { bits: D::Bits::pack(tag, id, classes) }
    }
}

/// The classes of a trait are all in the list of another: the other is a supertrait.
///
/// # Safety
///
/// `E::CLASSES[TAGS[n]]` is `CLASSES[n]`.
pub unsafe trait Extends<E: Dispatch>: Dispatch {
    /// The place of each class in the other list.
    const TAGS: &'static [usize];
}

impl<C: Class, D: Includes<C>> From<Link<C>> for AnyLink<D> {
    /// The link to the same object.
    ///
    /// # Panics
    ///
    /// If the object's id does not fit beside the class's number, which `wide` makes room for.
    #[inline(always)]
    fn from(link: Link<C>) -> Self {
        Self::pack(D::TAG, link.nonzero_id())
    }
}

impl<C: Class, D: Includes<C>> TryFrom<AnyLink<D>> for Link<C> {
    type Error = OtherClass;

    #[inline(always)]
    fn try_from(link: AnyLink<D>) -> Result<Self, OtherClass> {
        link.downcast().ok_or_else(|| OtherClass { expected: C::NAME, found: D::CLASSES[link.tag()].name() })
    }
}

/// A link is to an object of another class than the one that was asked for.
///
/// ```
/// use ikra::prelude::*;
/// # #[soa_class] pub struct Car { pub wheels: u32 }
/// # #[soa_class] pub struct Pedestrian { pub age: u32 }
/// # #[soa_dispatch(Car, Pedestrian)] pub trait Actor {}
/// # #[soa_methods] impl Actor for Car {}
/// # #[soa_methods] impl Actor for Pedestrian {}
/// # #[soa_world] pub struct Town { pub cars: Objects<Car>, pub pedestrians: Objects<Pedestrian> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// let walker: ActorLink = town.pedestrians.push(Pedestrian { age: 30 })?.into();
/// let error: ikra::OtherClass = Link::<Car>::try_from(walker).unwrap_err();
/// assert_eq!(error.to_string(), "the link is to an object of class Pedestrian, not Car");
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherClass {
    expected: &'static str,
    found: &'static str,
}

impl fmt::Display for OtherClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the link is to an object of class {}, not {}", self.found, self.expected)
    }
}
impl core::error::Error for OtherClass {}

impl<D: Dispatch> Copy for AnyLink<D> {}
impl<D: Dispatch> Clone for AnyLink<D> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<D: Dispatch> PartialEq for AnyLink<D> {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}
impl<D: Dispatch> Eq for AnyLink<D> {}
impl<D: Dispatch> PartialOrd for AnyLink<D> {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<D: Dispatch> Ord for AnyLink<D> {
    /// By class in the order of the trait's list, then by id.
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.bits.cmp(&other.bits)
    }
}
impl<D: Dispatch> Hash for AnyLink<D> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}
impl<D: Dispatch> fmt::Debug for AnyLink<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tag, index) = self.parts();
        write!(f, "{}#{}", D::CLASSES[tag].name(), index.wrapping_add(1))
    }
}

// SAFETY: 1. `repr(transparent)` over `NonZeroU32` or `NonZeroU64`; 2. a class's number and an id, not a pointer.
unsafe impl<D: Dispatch> Value for AnyLink<D> {
    type View<'w, P: Phase> = D::Ref<'w, P>;
    type Lanes = LaneArray<Self>;
    const PLACEHOLDER: Self = Self { bits: <D::Bits as LinkBits>::FIRST };
    const LINKS_TO: &'static [ClassId] = D::CLASSES;
    const MEANING: u64 = meaning("AnyLink", &[size_of::<Self>() as u64, meaning(D::NAME, D::MEANINGS)]);

    #[inline(always)]
    unsafe fn view<'w, P: Phase>(self, targets: Targets<'w>) -> D::Ref<'w, P> {
        // SAFETY: 1. the place is that of the class with this number; in kernels, the object exists; 2. what is known of the classes' objects
        // is known of this one.
        D::to_ref(unsafe { AnyHandle::new(self, targets.table(|| self.tag()), targets.facts()) })
    }
    #[inline(always)]
    unsafe fn view_of_some<'w, P: Phase>(targets: Targets<'w>) -> D::Ref<'w, P> {
        // The first object of a class that has any.
        let tag = D::some(targets);
        let first = Self::at(tag, 0);
        // SAFETY: 1. the place is that of the class; by the caller there is a good link to one of the classes; 2. as for `view`.
        D::to_ref(unsafe { AnyHandle::new(first, targets.table(|| tag), targets.facts()) })
    }
    #[inline(always)]
    fn bad_link(&self, targets: Targets<'_>) -> Option<BadLink> {
        let (tag, index) = self.parts();
        let len = D::count(tag, targets.table(|| tag));
        (index >= len).then(|| BadLink { class: D::CLASSES[tag], id: index.wrapping_add(1), len })
    }
    #[inline]
    fn remapped(self, moves: Moves<'_>) -> Option<Self> {
        let (tag, index) = self.parts();
        moves.index(D::CLASSES[tag], index).map(|index| Self::at(tag, index))
    }
    #[inline(always)]
    fn unview<P: Phase>(view: D::Ref<'_, P>) -> Self {
        D::from_ref(view).link()
    }
    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

// SAFETY: 1. the null niche of `NonZeroU32` and `NonZeroU64` is guaranteed, so this is an integer with 0 for `None`;
// 2. no pointer.
unsafe impl<D: Dispatch> Value for Option<AnyLink<D>> {
    type View<'w, P: Phase> = Option<D::Ref<'w, P>>;
    type Lanes = LaneArray<Self>;
    const PLACEHOLDER: Self = None;
    const LINKS_TO: &'static [ClassId] = D::CLASSES;
    const MEANING: u64 = meaning("Option", &[AnyLink::<D>::MEANING]);

    #[inline(always)]
    unsafe fn view<'w, P: Phase>(self, targets: Targets<'w>) -> Option<D::Ref<'w, P>> {
        // SAFETY: in kernels, `bad_link` of the option finds none, and so that of the link in it.
        self.map(|link| unsafe { link.view::<P>(targets) })
    }
    #[inline(always)]
    fn bad_link(&self, targets: Targets<'_>) -> Option<BadLink> {
        self.and_then(|link| link.bad_link(targets))
    }
    #[inline]
    fn remapped(self, moves: Moves<'_>) -> Option<Self> {
        Some(self.and_then(|link| link.remapped(moves)))
    }
    #[inline(always)]
    fn unview<P: Phase>(view: Option<D::Ref<'_, P>>) -> Self {
        view.map(AnyLink::unview::<P>)
    }
    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
