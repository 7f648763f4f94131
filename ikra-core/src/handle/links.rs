//! Turns links into refs.

use super::Handle;
use crate::class::Class;
use crate::directory::Targets;
use crate::info::ClassId;
use crate::link::Link;
use crate::moves::Moves;
use crate::origin::meaning;
use crate::panics::{out_of_range, was_removed};
use crate::phase::Phase;
use crate::value::{BadLink, LaneArray, Value};

/// A link that can be followed within its world: [`Link`] or [`AnyLink`](crate::dispatch::AnyLink).
/// `self.resolve(link)` takes either.
///
/// ```
/// use ikra::{Follow, prelude::*};
///
/// fn count<L: Follow>(links: &[Option<L>]) -> usize { links.iter().flatten().count() }
/// # #[soa_class] pub struct Car { pub km: u32 }
/// let car: Link<Car> = Link::from_index(0).unwrap();
/// assert_eq!(count(&[Some(car), None]), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no link",
    label = "not a link",
    note = "a link is a `Link<Class>`, or the link of a trait under `#[soa_dispatch]`; of an `Option` of one take `map`",
    note = "a `Ref`, as fields that are links and parameters show it, is the object already: leave out `resolve`"
)]
pub trait Follow: Value {
    /// The object, in the world of another object.
    ///
    /// # Panics
    ///
    /// If the object does not exist.
    #[doc(hidden)]
    fn follow<'w, C: Class, P: Phase>(self, from: Handle<'w, C, P>) -> Self::View<'w, P>;
}

impl<D: Class> Follow for Link<D> {
    #[inline(always)]
    #[track_caller]
    fn follow<'w, C: Class, P: Phase>(self, from: Handle<'w, C, P>) -> D::Ref<'w, P> {
        let place = from.place_of::<D>();
        let len = place.count::<D>();
        // As in `Value::bad_link`, so that the device's compiler sees that an argument was checked.
        if self.id() > len {
            out_of_range(D::ID.name(), self.id() - 1, len);
        }
        if place.is_removed(self.index()) {
            was_removed(D::NAME, self.id());
        }
        // SAFETY: 1. `place_of::<D>` returns the address of a table of `D`, or of an absent class; the object exists;
        // 2. it is in this world.
        D::to_ref(unsafe { Handle::new(self, place, from.facts().of_linked_object()) })
    }
}

// SAFETY: 1. `repr(transparent)` over `NonZeroU32`; 2. an id, not a pointer; 3. all functions check the one object; the
// placeholder is the first, which exists if any does.
unsafe impl<C: Class> Value for Link<C> {
    type View<'w, P: Phase> = C::Ref<'w, P>;
    type Lanes = LaneArray<Self>;
    const PLACEHOLDER: Self = Self::at(0);
    const LINKS_TO: &'static [ClassId] = &[C::ID];
    const MEANING: u64 = meaning("Link", &[C::ORIGIN.name_key(), meaning(C::ORIGIN.place(), &[])]);

    #[inline(always)]
    unsafe fn view<'w, P: Phase>(self, targets: Targets<'w>) -> C::Ref<'w, P> {
        // SAFETY: the address is that of the one class of the link; in kernels, the object exists; the known facts
        // about the class's objects hold for this one.
        C::to_ref(unsafe { Handle::new(self, targets.table(|| 0), targets.facts()) })
    }
    #[inline(always)]
    fn bad_link(&self, targets: Targets<'_>) -> Option<BadLink> {
        Some(*self).bad_link(targets)
    }
    #[inline(always)]
    fn remapped(self, moves: Moves<'_>) -> Option<Self> {
        moves.index(C::ID, self.index() as u32).map(Self::at)
    }
    #[inline(always)]
    fn unview<P: Phase>(view: C::Ref<'_, P>) -> Self {
        C::from_ref(view).link()
    }
    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

// SAFETY: 1. the null niche of `NonZeroU32` is guaranteed, so this is a `u32` with 0 for `None`; 2. no pointer; 3. as
// for links; the placeholder is `None`.
unsafe impl<C: Class> Value for Option<Link<C>> {
    type View<'w, P: Phase> = Option<C::Ref<'w, P>>;
    type Lanes = LaneArray<Self>;
    const PLACEHOLDER: Self = None;
    const EMPTIES: bool = true;
    const LINKS_TO: &'static [ClassId] = Link::<C>::LINKS_TO;
    const MEANING: u64 = meaning("Option", &[Link::<C>::MEANING]);

    #[inline(always)]
    unsafe fn view<'w, P: Phase>(self, targets: Targets<'w>) -> Option<C::Ref<'w, P>> {
        // SAFETY: in kernels, `bad_link` of the option finds no bad link, so the link in it is not bad.
        self.map(|link| unsafe { link.view::<P>(targets) })
    }
    #[inline(always)]
    fn bad_link(&self, targets: Targets<'_>) -> Option<BadLink> {
        let place = targets.table(|| 0);
        let (id, len) = (self.map_or(0, Link::id), place.count::<C>());
        // Without a link, the index is beyond all objects.
        (id > len || place.is_removed(id.wrapping_sub(1) as usize)).then_some(BadLink { class: C::ID, id, len })
    }
    #[inline(always)]
    fn remapped(self, moves: Moves<'_>) -> Option<Self> {
        // LLVM would not inline `and_then`.
        match self {
            Some(link) => Some(link.remapped(moves)),
            None => Some(None),
        }
    }
    #[inline(always)]
    fn unview<P: Phase>(view: Option<C::Ref<'_, P>>) -> Self {
        view.map(Link::unview::<P>)
    }
    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
