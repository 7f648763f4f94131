//! An object of one of several classes, behind the refs of a trait.

use core::fmt;
use core::marker::PhantomData;

use super::{AnyLink, Dispatch, Extends, Includes};
use crate::class::Class;
use crate::directory::TableRef;
use crate::handle::Handle;

/// An object of one of the classes of `D` in phase `P`: its class's number, its index, and on the host the table of its class.
///
/// The class is known, and the index is not known to be in range: it is checked when the object is read.
pub struct AnyHandle<'w, D: Dispatch, P> {
    /// Less than the number of classes.
    tag: u32,
    index: u32,
    /// That of a live table of the class with this number, or of one that is not in the world.
    place: TableRef<'w>,
    marker: PhantomData<(&'w D, fn() -> P)>,
}

impl<D: Dispatch, P> Copy for AnyHandle<'_, D, P> {}
impl<D: Dispatch, P> Clone for AnyHandle<'_, D, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
// SAFETY: as for `Handle`, which is all that can be made of it.
unsafe impl<D: Dispatch, P: Send> Send for AnyHandle<'_, D, P> {}
// SAFETY: as for `Handle`.
unsafe impl<D: Dispatch, P: Send> Sync for AnyHandle<'_, D, P> {}

impl<D: Dispatch, P> fmt::Debug for AnyHandle<'_, D, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.link().fmt(f)
    }
}

impl<D: Dispatch, P> PartialEq for AnyHandle<'_, D, P> {
    fn eq(&self, other: &Self) -> bool {
        (self.tag, self.index) == (other.tag, other.index) && self.place == other.place
    }
}

impl<'w, D: Dispatch, P> AnyHandle<'w, D, P> {
    /// The object at an index of the class with a number, whose table is at `place`.
    #[inline(always)]
    pub(crate) fn new(tag: usize, index: u32, place: TableRef<'w>) -> Self {
        Self { tag: tag as u32, index, place, marker: PhantomData }
    }

    /// That of an object of class `C`.
    #[inline(always)]
    pub fn of<C: Class>(object: Handle<'w, C, P>) -> Self
    where
        D: Includes<C>,
    {
        Self::new(D::TAG, object.index() as u32, object.place())
    }

    /// The link to the object.
    ///
    /// # Panics
    ///
    /// If the object's id does not fit beside the class's number.
    #[inline(always)]
    pub fn link(self) -> AnyLink<D> {
        AnyLink::at(self.tag(), self.index)
    }

    /// The number of the object's class.
    #[inline(always)]
    pub fn tag(self) -> usize {
        self.tag as usize
    }

    /// The object, if it is of class `C`.
    #[inline(always)]
    pub fn downcast<C: Class>(self) -> Option<Handle<'w, C, P>>
    where
        D: Includes<C>,
    {
        (self.tag() == D::TAG).then(|| Handle::in_place(self.index, self.place))
    }

    /// The same object, of a supertrait.
    #[inline(always)]
    pub fn upcast<E: Dispatch>(self) -> AnyHandle<'w, E, P>
    where
        D: Extends<E>,
    {
        AnyHandle::new(D::TAGS[self.tag()], self.index, self.place)
    }
}
