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
/// `#[soa_dispatch(Car, Pedestrian)] trait Actor` calls it `ActorLink`. The class is in the top bits, with as many bits
/// as the classes need. The object's id is in the others (TYPEPTR §6), so a call on the object reads no memory to learn
/// its class. With `wide` it takes 8 bytes, and names 2³² − 1 objects per class with any number of classes.
///
/// `into()` makes it from a `Link<Car>`. `try_from` returns the `Link<Car>`, and so does `class()`, a `match` over all
/// classes.
///
/// It is a type of its own, and not a `Link<Actor>`, because `From<Link<Car>> for Link<Actor>` would overlap with
/// Rust's `From<T> for T`.
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
/// assert_eq!((walker.parts(), ActorLink::from_parts(1, 0)), ((1, 0), Some(walker)));
/// assert_eq!((ActorLink::from_parts(2, 0), ActorLink::from_parts(0, u32::MAX)), (None, None));
/// assert_eq!(size_of::<Option<ActorLink>>(), 4);
/// # Ok(()) }
/// ```
#[repr(transparent)]
pub struct AnyLink<D: Dispatch> {
    bits: D::Bits,
}

impl<D: Dispatch> AnyLink<D> {
    /// The link, as a link of its class: a `match` over it covers every class.
    #[inline(always)]
    pub fn class(self) -> D::Links {
        D::links(self)
    }

    /// The number of the object's class in the trait's list, and the object's index in that class.
    #[inline(always)]
    pub fn parts(self) -> (usize, u32) {
        let (tag, id) = self.bits.parts(D::CLASSES.len());
        (tag, id.wrapping_sub(1))
    }

    /// The link with these [`parts`](Self::parts). `None` if the list has no such class, or if no link can have the index.
    #[must_use]
    pub fn from_parts(class: usize, index: u32) -> Option<Self> {
        let classes = D::CLASSES.len();
        (class < classes && index < D::Bits::largest_id(classes)).then(|| Self::at(class, index))
    }

    /// Stored links, if their bits are class and id.
    #[doc(hidden)]
    pub fn words(links: &[Self]) -> Option<LinkWords<'_>> {
        // SAFETY: `repr(transparent)`: a slice of bits of the same length.
        D::Bits::words(unsafe { core::slice::from_raw_parts(links.as_ptr().cast(), links.len()) })
    }

    /// The link itself, if it is a word.
    #[inline(always)]
    pub(super) fn word(self) -> u32 {
        self.bits.parts(1).1
    }

    /// The number of the object's class.
    #[inline(always)]
    pub(super) fn tag(self) -> usize {
        self.parts().0
    }

    /// The link, if its object is of class `C`.
    #[inline(always)]
    pub(crate) fn downcast<C: Class>(self) -> Option<Link<C>>
    where
        D: Includes<C>,
    {
        let (tag, index) = self.parts();
        (tag == D::TAG).then(|| Link::at(index))
    }

    /// This link as one of a supertrait: a trait that all classes of this one implement.
    #[inline]
    pub fn upcast<E: Dispatch>(self) -> AnyLink<E>
    where
        D: Extends<E>,
    {
        // Bits that are not a link become the link to the last possible object.
        let (tag, index) = self.parts();
        AnyLink::at(D::TAGS[tag], index)
    }

    /// The bits: 0 for `None`.
    #[inline(always)]
    pub(crate) fn number(of: Option<Self>) -> <D::Bits as LinkBits>::Number {
        D::Bits::number(of.map(|link| link.bits))
    }

    /// The link with these bits; `None` for 0.
    #[inline(always)]
    pub(crate) fn of_number(bits: <D::Bits as LinkBits>::Number) -> Option<Self> {
        D::Bits::of_number(bits).map(|bits| Self { bits })
    }

    /// The link to the object at an index of the class with a number. An index that no object can have gives the last
    /// possible object.
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

/// Proof that the classes of a trait are all in the list of another, a supertrait.
///
/// # Safety
///
/// `E::CLASSES[TAGS[n]]` is `CLASSES[n]`.
pub unsafe trait Extends<E: Dispatch>: Dispatch {
    /// The index of each class in the other list.
    const TAGS: &'static [usize];
}

impl<C: Class, D: Includes<C>> From<Link<C>> for AnyLink<D> {
    /// The link to the same object.
    ///
    /// # Panics
    ///
    /// If the object's id does not fit next to the class's number; `wide` makes room for it.
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

/// The error for a link whose object is of a class other than the requested one.
///
/// ```
/// use ikra::prelude::*;
/// # #[soa_class] pub struct Car { pub wheels: u32 }
/// # #[soa_class] pub struct Pedestrian { pub age: u32 }
/// # #[soa_dispatch(Car, Pedestrian)] pub trait Actor {}
/// # #[soa_methods] impl Actor for Car {} #[soa_methods] impl Actor for Pedestrian {}
/// let walker: ActorLink = Link::<Pedestrian>::from_index(0).unwrap().into();
/// let error: ikra::dispatch::OtherClass = Link::<Car>::try_from(walker).unwrap_err();
/// assert_eq!(error.to_string(), "the link is to an object of class Pedestrian, not Car");
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
        // SAFETY: 1. the address is that of the class with this number; in kernels, the object exists; 2. the known
        // facts about the classes' objects hold for this one.
        D::to_ref(unsafe { AnyHandle::new(self, targets.table(|| self.tag()), targets.facts()) })
    }
    #[inline(always)]
    unsafe fn view_of_some<'w, P: Phase>(targets: Targets<'w>) -> D::Ref<'w, P> {
        // The first object of a class that has objects.
        let tag = D::some(targets);
        let first = Self::at(tag, 0);
        // SAFETY: 1. the address is that of the class; by the caller a good link to one of the classes exists; 2. as
        // for `view`.
        D::to_ref(unsafe { AnyHandle::new(first, targets.table(|| tag), targets.facts()) })
    }
    #[inline(always)]
    fn bad_link(&self, targets: Targets<'_>) -> Option<BadLink> {
        let (tag, index) = self.parts();
        let place = targets.table(|| tag);
        let len = D::count(tag, place);
        (index >= len || place.is_removed(index as usize)).then(|| BadLink {
            class: D::CLASSES[tag],
            id: index.wrapping_add(1),
            len,
        })
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
    const EMPTIES: bool = true;
    const LINKS_TO: &'static [ClassId] = D::CLASSES;
    const MEANING: u64 = meaning("Option", &[AnyLink::<D>::MEANING]);

    #[inline(always)]
    unsafe fn view<'w, P: Phase>(self, targets: Targets<'w>) -> Option<D::Ref<'w, P>> {
        // SAFETY: in kernels, `bad_link` of the option finds no bad link, so the link in it is not bad.
        self.map(|link| unsafe { link.view::<P>(targets) })
    }
    #[inline(always)]
    fn bad_link(&self, targets: Targets<'_>) -> Option<BadLink> {
        self.and_then(|link| link.bad_link(targets))
    }
    #[inline]
    fn remapped(self, moves: Moves<'_>) -> Option<Self> {
        // LLVM would not inline `and_then`.
        match self {
            Some(link) => Some(link.remapped(moves)),
            None => Some(None),
        }
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
