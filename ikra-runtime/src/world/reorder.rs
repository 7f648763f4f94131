//! Sorting and removing objects: one permutation of a class, and all links of the world remapped.

use std::fmt;
use std::marker::PhantomData;

use ikra_core::moves::{Moves, Remap};
use rayon::prelude::*;

use super::{Holds, check_links};
use crate::class::Class;
use crate::error::Error;
use crate::link::Link;
use crate::list::LastList;
use crate::objects::not_in_world;

/// The new links of a class's objects. [`World::reorder`](super::World::reorder), [`World::retain`](super::World::retain) and
/// [`World::sort_by_key`](super::World::sort_by_key) return it.
///
/// Links in the world are remapped already. This value serves links that the program keeps outside of it.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Ant { pub age: u32 }
/// #[soa_methods]
/// impl Ant {
///     #[kernel]
///     pub fn is_young(&self) -> bool { self.age < 10 }
/// }
/// #[soa_world]
/// pub struct Hill { pub ants: Objects<Ant> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut hill = Hill::new();
/// let ants: Vec<_> = hill.ants.extend([5, 20, 7].map(|age| Ant { age }))?.collect();
/// let moved = hill.retain(Ant::is_young, ())?;
/// assert_eq!((moved.link(ants[1]), moved.removed()), (None, 1));
/// assert_eq!(hill.get(moved.link(ants[2]).unwrap()).age(), 7);
/// # Ok(()) }
/// ```
pub struct Moved<C> {
    /// Maps each old index to the new id, or to 0.
    ids: Vec<u32>,
    removed: usize,
    class: PhantomData<fn() -> C>,
}

impl<C: Class> Moved<C> {
    /// The current link to the object that `link` named before, or `None` if it was removed or did not exist.
    #[must_use]
    pub fn link(&self, link: Link<C>) -> Option<Link<C>> {
        self.ids.get(link.index())?.checked_sub(1).map(Link::at)
    }

    /// The number of removed objects.
    #[must_use]
    pub fn removed(&self) -> usize {
        self.removed
    }
}

impl<C: Class> fmt::Debug for Moved<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Moved<{}>({} objects, {} removed)", C::NAME, self.ids.len(), self.removed)
    }
}

/// [`World::reorder`], given old indices.
pub(super) fn reorder<W: Holds<C>, C: Class>(
    world: &mut W,
    order: impl ExactSizeIterator<Item = u32>,
) -> Result<Moved<C>, Error> {
    check_links(world, &[])?;
    let len = Holds::<C>::objects(world).len();
    let mut ids = vec![0; len];
    let mut old = Vec::with_capacity(order.len());
    for index in order {
        let Some(id) = ids.get_mut(index as usize) else { return Err(not_in_world(Link::<C>::at(index), len)) };
        if *id != 0 {
            return Err(Error::Duplicate { class: C::NAME, id: Link::<C>::at(index).id() });
        }
        old.push(index);
        *id = old.len() as u32;
    }
    let removed = len - old.len();
    if removed > 0 || !old.is_sorted() {
        let moves = Moves::new(C::ID, &ids);
        for what in [Remap::Check, Remap::Commit] {
            if what == Remap::Commit {
                Holds::<C>::objects(world).try_fetch(ikra_core::effects::FieldSet::ALL)?;
                Holds::<C>::objects_mut(world).reorder(&old);
                *world.state_mut().last_list() = LastList::default();
            }
            world.members_mut().as_mut().iter_mut().try_for_each(|member| member.remap_links(moves, what))?;
        }
    }
    Ok(Moved { ids, removed, class: PhantomData })
}

/// The indices of the keys, in a stable ascending order.
pub(super) fn sorted<T: Ord + Sync>(keys: &[T]) -> Vec<u32> {
    let mut order = (0..keys.len() as u32).collect::<Vec<_>>();
    order.par_sort_by(|&a, &b| keys[a as usize].cmp(&keys[b as usize]));
    order
}
