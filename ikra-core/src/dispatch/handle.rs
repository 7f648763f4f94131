//! An object of one of several classes, behind the refs of a trait.

use core::fmt;
use core::hint::assert_unchecked;
use core::marker::PhantomData;

use super::bits::LinkBits;
use super::{AnyLink, Dispatch, Extends, Includes};
use crate::class::Class;
use crate::directory::TableRef;
use crate::facts::Facts;
use crate::handle::Handle;
use crate::link::Link;
use crate::phase::Phase;
use crate::target::arithmetic::settled;

/// An object of one of the classes of `D` in phase `P`: a link, and on the host the table of its class.
///
/// The class is looked up where it is asked for, by [`found`](Self::found). In kernels the object exists, as for [`Handle`].
pub struct AnyHandle<'w, D: Dispatch, P> {
    link: AnyLink<D>,
    /// That of a live table of the link's class, or of one that is not in the world.
    place: TableRef<'w>,
    /// What is known of the object.
    facts: Facts,
    marker: PhantomData<(&'w D, fn() -> P)>,
}

/// So many classes take an object's id out of its link each for itself; more share it.
const FEW: usize = 4;
/// So many classes are looked at one after the other.
const IN_TURN: usize = 8;

/// An object whose class is known. In kernels it exists, as for [`Handle`].
pub struct Found<'w, D, P> {
    /// Less than the number of classes.
    tag: u32,
    /// The object's id, or the whole link if that is a word and classes are few.
    number: u32,
    /// That of a live table of the class with this number, or of one that is not in the world.
    place: TableRef<'w>,
    /// What is known of the object.
    facts: Facts,
    marker: PhantomData<(&'w D, fn() -> P)>,
}

impl<D: Dispatch, P> Copy for AnyHandle<'_, D, P> {}
impl<D: Dispatch, P> Clone for AnyHandle<'_, D, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<D, P> Copy for Found<'_, D, P> {}
impl<D, P> Clone for Found<'_, D, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
// SAFETY: as for `Handle`, which is all that can be made of it.
unsafe impl<D: Dispatch, P: Send> Send for AnyHandle<'_, D, P> {}
// SAFETY: a `Handle` is all that can be made of it, which is `Sync` then.
unsafe impl<D: Dispatch, P: Send> Sync for AnyHandle<'_, D, P> {}

impl<D: Dispatch, P> fmt::Debug for AnyHandle<'_, D, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.link.fmt(f)
    }
}
impl<D: Dispatch, P: Phase> fmt::Debug for Found<'_, D, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", D::CLASSES[self.tag()].name(), self.id(self.tag()))
    }
}

impl<D: Dispatch, P> PartialEq for AnyHandle<'_, D, P> {
    fn eq(&self, other: &Self) -> bool {
        self.link == other.link && self.place == other.place
    }
}

impl<'w, D: Dispatch, P: Phase> AnyHandle<'w, D, P> {
    /// The object of a link, and what is known of it.
    ///
    /// # Safety
    ///
    /// As for [`Handle::new`], of the link's class.
    #[inline(always)]
    pub(crate) unsafe fn new(link: AnyLink<D>, place: TableRef<'w>, facts: Facts) -> Self {
        Self { link, place, facts, marker: PhantomData }
    }

    /// That of an object of class `C`.
    ///
    /// # Panics
    ///
    /// If the object's id does not fit beside the class's number.
    #[inline(always)]
    pub fn of<C: Class>(object: Handle<'w, C, P>) -> Self
    where
        D: Includes<C>,
    {
        // SAFETY: 1. the place is that of the object's class; if `P` is a kernel, there is no handle of an object that does not
        // exist; 2. it is the same object.
        unsafe { Self::new(object.link().into(), object.place(), object.facts()) }
    }

    /// The link to the object.
    #[inline(always)]
    pub fn link(self) -> AnyLink<D> {
        self.link
    }

    /// Looks up the object's class.
    #[inline(always)]
    pub fn found(self) -> Found<'w, D, P> {
        let (tag, index) = self.link.parts();
        let number = if Found::<D, P>::HAS_WORD { self.link.word() } else { index.wrapping_add(1) };
        Found { tag: tag as u32, number, place: self.place, facts: self.facts, marker: PhantomData }
    }

    /// The same object, of a supertrait.
    #[inline(always)]
    pub fn upcast<E: Dispatch>(self) -> AnyHandle<'w, E, P>
    where
        D: Extends<E>,
    {
        // SAFETY: it is the same object.
        unsafe { AnyHandle::new(self.link.upcast(), self.place, self.facts) }
    }
}

impl<'w, D: Dispatch, P: Phase> Found<'w, D, P> {
    /// The number of the object's class.
    #[inline(always)]
    pub fn tag(self) -> usize {
        self.tag as usize
    }

    /// Whether `number` is the link, of which each class takes the id. Where classes are many, all share the id.
    const HAS_WORD: bool = D::Bits::IS_WORD && D::CLASSES.len() <= FEW;

    /// Whether it is of the class with this number.
    #[inline(always)]
    fn is(self, tag: usize) -> bool {
        // Links to objects of the first class are the smallest: no bits are to be shifted.
        if Self::HAS_WORD && tag == 0 {
            self.number <= D::Bits::largest_id(D::CLASSES.len())
        } else {
            self.tag() == tag
        }
    }

    /// Its id, if it is of the class with this number.
    #[inline(always)]
    fn id(self, tag: usize) -> u32 {
        let is_id = !Self::HAS_WORD || tag == 0;
        if is_id { self.number } else { self.number & D::Bits::largest_id(D::CLASSES.len()) }
    }

    /// The object, if it is of class `C`.
    #[inline(always)]
    pub fn downcast<C: Class>(self) -> Downcast<Handle<'w, C, P>>
    where
        D: Includes<C>,
    {
        if self.is(D::TAG) {
            // SAFETY: this is its class.
            Downcast::Object(unsafe { self.known() })
        } else {
            Downcast::Other
        }
    }

    /// The same object, which was looked at and is not of class `C`. Up to eight classes are looked at one after the
    /// other, in the order of the trait's list: otherwise the compiler would choose the order, and may put the first one last, or make a
    /// jump by a table, behind which a warp's threads wait for each other longer.
    #[inline(always)]
    pub fn other_than<C: Class>(self) -> Self
    where
        D: Includes<C>,
    {
        let classes = D::CLASSES.len();
        if classes > IN_TURN || self.is(D::TAG) || D::TAG > 0 && self.tag() < D::TAG {
            return self;
        }
        if D::TAG + 2 == classes {
            return Self { tag: classes as u32 - 1, ..self };
        }
        let tag = settled(self.tag);
        // SAFETY: the same number, which was compared with `C`'s, and is less than the number of classes.
        unsafe { assert_unchecked(tag as usize > D::TAG && (tag as usize) < classes) };
        Self { tag, ..self }
    }

    /// The object, which is of class `C`.
    ///
    /// # Safety
    ///
    /// The class's number is that of `C`.
    #[inline(always)]
    pub unsafe fn known<C: Class>(self) -> Handle<'w, C, P>
    where
        D: Includes<C>,
    {
        // All columns of the class are at this id: it is computed once, in 32 bits.
        let id = settled(self.id(D::TAG));
        if !P::SEQUENTIAL {
            // SAFETY: in kernels the object exists, and no object's id is 0: so `Link::at` need not look.
            unsafe { assert_unchecked(id != 0) };
        }
        // SAFETY: 1. the place is that of the class with this number, `C`; the object exists as for this handle; 2. it is the same object.
        unsafe { Handle::new(Link::at(id.wrapping_sub(1)), self.place, self.facts) }
    }
}

/// The object, if it is of the class that was asked for. Whether it is has a place of its own: where it is in the handle, as in an
/// `Option`, the device compares twice.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Downcast<H> {
    /// It is.
    Object(H),
    /// It is not.
    Other,
}
