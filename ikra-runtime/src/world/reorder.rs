//! Sorting and removing objects: one permutation of a class, and all links of the world remapped.

use std::any::TypeId;
use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::OnceLock;

use ikra_core::bits::{is_set, set};
use ikra_core::effects::FieldSet;
use ikra_core::rng::Random;
use rayon::prelude::*;

use super::cascade::cascade;
use super::lives::Order;
use super::{Holds, check_links, lives, radix};
use crate::class::{Class, ClassId};
use crate::error::Error;
use crate::executor::Reordered;
use crate::link::Link;
use crate::list::{LastList, ListMemory};
use crate::objects::AnyObjects;

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
    /// Maps each old index to the new id, or to 0, once that was needed.
    ids: OnceLock<Vec<u32>>,
    /// The same on the device that moved them.
    memory: Option<Box<dyn ListMemory>>,
    slots: usize,
    removed: usize,
    class: PhantomData<fn() -> C>,
}

impl<C: Class> Moved<C> {
    /// Those with these new ids.
    fn new(ids: Vec<u32>, removed: usize) -> Self {
        Self { slots: ids.len(), ids: OnceLock::from(ids), memory: None, removed, class: PhantomData }
    }

    /// The current link to the object that `link` named before, or `None` if it was removed or did not exist.
    ///
    /// If a GPU has moved the objects, the first call fetches the new links.
    ///
    /// # Panics
    ///
    /// If they are on a GPU that has failed.
    #[must_use]
    pub fn link(&self, link: Link<C>) -> Option<Link<C>> {
        let fetch = || match self.memory.as_ref().map(|memory| memory.fetch()) {
            Some(Ok(ids)) => ids,
            Some(Err(error)) => panic!("the new links are on a device: {error}"),
            None => Vec::new(),
        };
        self.ids.get_or_init(fetch).get(link.index())?.checked_sub(1).map(Link::at)
    }

    /// The number of removed objects.
    #[must_use]
    pub fn removed(&self) -> usize {
        self.removed
    }
}

impl<C: Class> fmt::Debug for Moved<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Moved<{}>({} objects, {} removed)", C::NAME, self.slots, self.removed)
    }
}

/// [`World::reorder`], given old indices.
pub(super) fn reorder<W: Holds<C>, C: Class>(
    world: &mut W,
    order: impl ExactSizeIterator<Item = u32>,
) -> Result<Moved<C>, Error> {
    checked::<W, C>(world, order)?.or_else(|indices| {
        let moved = put(world, indices)?;
        // SAFETY: `checked` has looked at all links; objects moved and were removed since, by `put`.
        unsafe { lives::are_remapped(world.members_mut().as_mut()) };
        Ok(moved)
    })
}

/// Checks that objects exist, none of them twice, and links. Returns the indices, or no moves if nothing changes.
pub(crate) fn checked<W: Holds<C>, C: Class>(
    world: &mut W,
    order: impl ExactSizeIterator<Item = u32>,
) -> Result<Result<Moved<C>, Vec<u32>>, Error> {
    check_links(world, &[])?;
    let objects = Holds::<C>::objects(world);
    let (slots, len) = (objects.slots(), objects.len());
    let mut is_kept = vec![0; slots.div_ceil(64)];
    let mut old = Vec::with_capacity(order.len());
    for index in order {
        let link = Link::<C>::at(index);
        objects.check(link)?;
        let (word, bit) = (index as usize / 64, 1_u64 << (index % 64));
        if is_kept[word] & bit != 0 {
            return Err(Error::Duplicate { class: C::NAME, id: link.id() });
        }
        is_kept[word] |= bit;
        old.push(index);
    }
    let is_same = old.len() == len && slots == len && old.is_sorted();
    Ok(if is_same { Ok(Moved::new((1..=len as u32).collect(), 0)) } else { Err(old) })
}

/// Keeps the objects at these indices, which were checked, in this order.
pub(crate) fn put<W: Holds<C>, C: Class>(world: &mut W, mut old: Vec<u32>) -> Result<Moved<C>, Error> {
    let len = Holds::<C>::objects(world).len();
    *world.state_mut().last_list() = LastList::default();
    let ids = put_in(world.members_mut().as_mut(), C::ID, len, &mut old)?;
    Ok(Moved::new(ids, len - old.len()))
}

/// The number of the member with the objects of a class that the world holds.
pub(super) fn number(members: &[&mut dyn AnyObjects], class: ClassId) -> usize {
    match members.iter().position(|member| member.class() == class) {
        Some(number) => number,
        None => unreachable!("the world holds objects of the class"),
    }
}

/// As above, among the members of a world, for a class of `len` objects. Removes owners from `old` that go too. Returns the
/// new id of each index, or 0. Nothing changes if there is an error.
fn put_in(
    members: &mut [&mut dyn AnyObjects],
    class: ClassId,
    len: usize,
    old: &mut Vec<u32>,
) -> Result<Vec<u32>, Error> {
    let number = number(members, class);
    let mut removed = vec![Vec::new(); members.len()];
    if old.len() < len && members.iter().any(|member| member.fields().iter().any(|field| field.cascades)) {
        // Owners go too, perhaps those of this class.
        members[number].fetch(FieldSet::ALL)?;
        let mut is_kept = Vec::new();
        old.iter().for_each(|&n| set(&mut is_kept, n as usize));
        let live = members[number].live();
        live.listed(0)?.iter().filter(|&n| !is_set(&is_kept, n)).for_each(|n| set(&mut removed[number], n));
        cascade(members, &mut removed)?;
        old.retain(|&index| !is_set(&removed[number], index as usize));
    }
    let mut ids = vec![0; members[number].slots()];
    for (new, &old) in old.iter().enumerate() {
        ids[old as usize] = new as u32 + 1;
    }
    lives::take_out(members, &removed, Some(Order { member: number, old, ids: &ids }))?;
    Ok(ids)
}

/// The new links of a class's objects, `before` of them, which a place has put into another order.
pub(crate) fn moved<W: Holds<C>, C: Class>(world: &mut W, reordered: Reordered, before: usize) -> Moved<C> {
    let removed = before - Holds::<C>::objects(world).len();
    match reordered {
        Reordered::AsBefore => Moved::new((1..=Holds::<C>::objects(world).len() as u32).collect(), 0),
        Reordered::Moved(memory) => {
            *world.state_mut().last_list() = LastList::default();
            let slots = memory.numbers();
            Moved { ids: OnceLock::new(), memory: Some(memory), slots, removed, class: PhantomData }
        }
    }
}

/// Sorts the objects of a class by these keys, one for each that exists.
pub(crate) fn sort_by<W: Holds<C>, C: Class, T: Ord + Sync + 'static>(
    world: &mut W,
    keys: &[T],
) -> Result<Moved<C>, Error> {
    let before = Holds::<C>::objects(world).live_indices();
    let order: Vec<_> = sorted(keys).into_iter().map(|n| before[n as usize]).collect();
    reorder(world, order.into_iter())
}

/// [`World::shuffle`](super::World::shuffle): each object gets a random key.
pub(super) fn shuffle<W: Holds<C>, C: Class>(world: &mut W, seed: u64) -> Result<Moved<C>, Error> {
    let keys = random_keys(Holds::<C>::objects(world).len() as u32, seed);
    sort_by(world, &keys)
}

fn random_keys(objects: u32, seed: u64) -> Vec<u64> {
    // A step of its own, so that kernels with the same seed draw other numbers.
    let key = |object| Random::new(seed, object, u32::MAX).next_u64();
    (0..objects).into_par_iter().with_min_len(1 << 12).map(key).collect()
}

/// The indices of the keys, in a stable ascending order.
fn sorted<T: Ord + Sync + 'static>(keys: &[T]) -> Vec<u32> {
    if keys.len() >= radix::FEW {
        if let Some(keys) = same::<T, u32>(keys) {
            return radix::sorted_u32(keys);
        }
        if let Some(keys) = same::<T, u64>(keys) {
            return radix::sorted_u64(keys);
        }
        // With the sign bit flipped, signed numbers have the order of unsigned ones.
        if let Some(keys) = same::<T, i32>(keys) {
            return radix::sorted_u32(&keys.iter().map(|&key| key as u32 ^ 1 << 31).collect::<Vec<_>>());
        }
        if let Some(keys) = same::<T, i64>(keys) {
            return radix::sorted_u64(&keys.iter().map(|&key| key as u64 ^ 1 << 63).collect::<Vec<_>>());
        }
    }
    ordered(keys.len(), &|a, b| keys[a as usize].cmp(&keys[b as usize]))
}

/// The numbers below `len`, in a stable ascending order. One function for all keys, since its code is large.
fn ordered(len: usize, compare: &(dyn Fn(u32, u32) -> Ordering + Sync)) -> Vec<u32> {
    let mut order = (0..len as u32).collect::<Vec<_>>();
    order.par_sort_by(|&a, &b| compare(a, b));
    order
}

/// The keys, if they are of type `U`.
fn same<T: 'static, U: 'static>(keys: &[T]) -> Option<&[U]> {
    // SAFETY: the types are the same.
    (TypeId::of::<T>() == TypeId::of::<U>()).then(|| unsafe { &*(ptr::from_ref(keys) as *const [U]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_stable<T: Ord + Copy + Sync + 'static>(key: impl Fn(u64) -> T) {
        for len in [0, 1, radix::FEW - 1, radix::FEW, 5000] {
            let mut random = Random::new(len as u64, 1, 2);
            // Some keys come more than once.
            let keys: Vec<T> = (0..len).map(|_| key(random.next_u64() & 0x8000_01ff_8000_01ff)).collect();
            let mut order: Vec<_> = (0..len as u32).collect();
            order.sort_by_key(|&n| keys[n as usize]);
            assert_eq!(sorted(&keys), order, "{len} keys of type {}", std::any::type_name::<T>());
        }
    }

    #[test]
    fn keys_of_all_types_are_sorted() {
        is_stable(|bits| bits as u32);
        is_stable(|bits| bits);
        is_stable(|bits| bits as i32);
        is_stable(|bits| bits as i64);
        is_stable(|bits| bits as i8);
        is_stable(|bits| (bits as u16, bits >> 60 == 0));
    }
}
