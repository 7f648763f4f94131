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
/// [`found`](Self::found) looks the class up when it is needed. In kernels the object exists (I12), as for [`Handle`].
pub struct AnyHandle<'w, D: Dispatch, P> {
    link: AnyLink<D>,
    /// The address of a live table of the link's class, or of an absent class's table.
    place: TableRef<'w>,
    /// The known facts about the object.
    facts: Facts,
    marker: PhantomData<(&'w D, fn() -> P)>,
}

/// Up to this number of classes, each class extracts an object's id from its link separately; more classes share it.
const FEW: usize = 4;
/// Up to this number of classes, they are compared one after the other.
const IN_TURN: usize = 8;

/// An object whose class is known. In kernels it exists, as for [`Handle`].
pub struct Found<'w, D, P> {
    /// Less than the number of classes.
    tag: u32,
    /// The object's id, or the whole link if that is a word and there are few classes.
    number: u32,
    /// The address of a live table of the class with this number, or of an absent class's table.
    place: TableRef<'w>,
    /// The known facts about the object.
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
// SAFETY: as for `Handle`, the only type that it can become.
unsafe impl<D: Dispatch, P: Send> Send for AnyHandle<'_, D, P> {}
// SAFETY: it can become only a `Handle`, which is then `Sync`.
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
    /// The object of a link, with the known facts about it.
    ///
    /// # Safety
    ///
    /// As for [`Handle::new`], for the link's class.
    #[inline(always)]
    pub(crate) unsafe fn new(link: AnyLink<D>, place: TableRef<'w>, facts: Facts) -> Self {
        Self { link, place, facts, marker: PhantomData }
    }

    /// The handle of an object of class `C`.
    ///
    /// # Panics
    ///
    /// If the object's id does not fit next to the class's number.
    #[inline(always)]
    pub fn of<C: Class>(object: Handle<'w, C, P>) -> Self
    where
        D: Includes<C>,
    {
        // SAFETY: 1. the address is that of the object's class; if `P` is a kernel, a handle's object exists (I12); 2.
        // it is the same object.
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

    /// This object, as one of a supertrait.
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

    /// Whether `number` is the link, from which each class extracts the id. Many classes share the id.
    const HAS_WORD: bool = D::Bits::IS_WORD && D::CLASSES.len() <= FEW;

    /// Whether it is of the class with this number.
    #[inline(always)]
    fn is(self, tag: usize) -> bool {
        // Links to objects of the first class are the smallest, so no shift is needed.
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

    /// This object, which was compared with class `C` and is not of it. Up to eight classes are compared one after the
    /// other, in the order of the trait's list. Otherwise the compiler would choose the order, and might put the first
    /// class last. Or it might make a jump by a table, after which a warp's threads wait longer for each other.
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
        // SAFETY: it has the number that was compared with `C`'s, and that is less than the number of classes.
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
        // The object has this id in all columns of the class: it is computed once, in 32 bits.
        let id = settled(self.id(D::TAG));
        if !P::SEQUENTIAL {
            // SAFETY: in kernels the object exists, and object ids are never 0: so `Link::at` need not check.
            unsafe { assert_unchecked(id != 0) };
        }
        // SAFETY: 1. the address is that of the class with this number, `C`; the object exists as for this handle; 2.
        // it is the same object.
        unsafe { Handle::new(Link::at(id.wrapping_sub(1)), self.place, self.facts) }
    }
}

/// The object, if it is of the requested class. The answer is a separate field. If the handle contained it, as in an
/// `Option`, the device would compare twice.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Downcast<H> {
    /// The object is of the class.
    Object(H),
    /// The object is not of the class.
    Other,
}
