//! Executors whose results name objects: groups; and those that put objects into another order.

use std::sync::Arc;

use super::choice::{Integer, NewOrder};
use super::{On, Over, Picked, Subset};
use crate::class::Class;
use crate::dispatch::{Collect, CollectOn};
use crate::error::Error;
use crate::exec::{Extent, Part};
use crate::groups::{GroupKeys, Groups, Keys, group, groups_of};
use crate::kernel::Kernel;
use crate::link::Link;
use crate::list::{ListOrder, Listed};
use crate::objects::Objects;
use crate::place::Place;
use crate::selection::Selection;
use crate::transfer::Transfer;
use crate::world::lives::assert_changes_nothing;
use crate::world::{Holds, Moved, World, check_links, checked, moved, put, sort_by};

/// Calls `work` with the objects of a run.
///
/// # Errors
///
/// As for [`Part::of`], and errors of a device that holds the list.
pub(super) fn among<C: Class, T>(
    objects: &mut Objects<C>,
    part: Part<'_>,
    work: impl FnOnce(&Listed, &mut Objects<C>) -> T,
) -> Result<T, Error> {
    Ok(match part.of(0, &*objects)? {
        Extent::Range(range) => work(&Listed::Range(range), objects),
        Extent::Shared(_) => {
            return Err(Error::Cluster { reason: String::from("a chain of kernels is not shared") });
        }
        Extent::List { list, class } => work(list.objects_of::<C>(class, objects.slots())?, objects),
    })
}

/// Fails to compile if a kernel makes or removes objects: its results would be of objects that are not there.
const fn assert_chooses<K: Kernel>(function: &str) {
    assert_changes_nothing(K::EFFECTS, function);
}

impl<W: World, O> On<'_, W, O> {
    /// Calls a kernel for the objects, and groups them by what it returns. See
    /// [`World::group_by`](crate::world::World::group_by).
    ///
    /// A GPU makes the groups itself and keeps them, if keys are numbers or a [`Grid`](ikra_core::grid::Grid) of two or
    /// three dimensions. For other keys, the host makes them of the results.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Car { pub km: u32 }
    /// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
    /// #[soa_methods]
    /// impl Car {
    ///     #[kernel]
    ///     pub fn tens(&self) -> u32 { self.km / 10 }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut town = Town::new();
    /// town.cars.extend([5, 25, 7].map(|km| Car { km }))?;
    /// let groups = town.on(Place::Host).group_by(Car::tens, 3, ())?;
    /// assert_eq!(groups.links(0).map(Link::id).collect::<Vec<_>>(), [1, 3]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors); [`Error::NoKey`], [`Error::KeyOutOfRange`].
    pub fn group_by<K, A, T, G>(&mut self, kernel: K, keys: G, args: A) -> Result<Groups<K::Class, G>, Error>
    where
        K: Kernel + CollectOn<W, A, Output = T>,
        A: Copy + Send + Sync,
        T: Copy + Sync + Transfer,
        G: Keys<T>,
        W: Holds<K::Class>,
        O: Subset<W, K>,
    {
        const { assert_chooses::<K>("group_by") }
        let picked = self.pick::<K>()?;
        if let Some(known) = GroupKeys::of::<T, G>(&keys) {
            let grouped =
                self.ask::<K, A, T, _>(&picked, &args, |executor, world, launch| executor.group(world, launch, known))?;
            if let Some(grouped) = grouped {
                return among::<K::Class, _>(self.objects_of(), picked.part(), |among, of| {
                    // SAFETY: by the contract of executors, for objects of the table.
                    unsafe { groups_of(keys, grouped, among, of.table()) }
                })?;
            }
        }
        let results = self.collect(kernel, &picked, args)?;
        among::<K::Class, _>(self.objects_of(), picked.part(), |among, of| group(keys, &results, among, of.table()))?
    }
}

impl<W: World> On<'_, W> {
    /// Sorts the objects of a class by the keys that a kernel returns for them. See
    /// [`World::sort_by_key`](crate::world::World::sort_by_key).
    ///
    /// A GPU sorts by integers of at most 64 bits. It moves the objects itself if each column has memory of its own (not
    /// `aos`, `tiles`, a fixed capacity, or inner arrays), and if links to the class are in fields of type `Link` or
    /// `Option<Link>`. Otherwise the host sorts.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Car { pub km: u32 }
    /// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
    /// # #[soa_methods]
    /// # impl Car { #[kernel] pub fn driven(&self) -> u32 { self.km } }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut town = Town::new();
    /// town.cars.extend([5, 25, 7].map(|km| Car { km }))?;
    /// town.on(Place::Host).sort_by_key(Car::driven, ())?;
    /// assert_eq!(town.cars.column(car::km), [5, 7, 25]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors), and for [`World::reorder`](crate::world::World::reorder): the kernel's writes stay.
    pub fn sort_by_key<K, A, T>(&mut self, kernel: K, args: A) -> Result<Moved<K::Class>, Error>
    where
        K: Kernel + CollectOn<W, A, Output = T>,
        A: Copy + Send + Sync,
        T: Ord + Transfer,
        W: Holds<K::Class>,
    {
        const { assert_chooses::<K>("sort_by_key") }
        if let Some(integer) = Integer::of::<T>() {
            let sorted = self.ask::<K, A, T, _>(&Picked::All, &args, |executor, world, launch| {
                executor.reorder(world, NewOrder::Results { launch, integer })
            })?;
            if let Some(sorted) = sorted {
                let len = self.objects_of::<K::Class>().len();
                return Ok(moved(self.world(), sorted, len));
            }
        }
        let keys = self.execute_and_collect(kernel, args)?;
        sort_by(self.world(), &keys)
    }

    /// Puts the objects of a class into a random order, the same at every place. See
    /// [`World::shuffle`](crate::world::World::shuffle).
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Card { pub number: u32 }
    /// # #[soa_world] pub struct Game { pub cards: Objects<Card> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut game = Game::new();
    /// game.cards.extend((0..6).map(|number| Card { number }))?;
    /// game.on(Place::Host).shuffle::<Card>(42)?;
    /// assert_eq!(game.cards.column(card::number), [1, 3, 2, 0, 5, 4]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors), and for [`World::reorder`](crate::world::World::reorder).
    pub fn shuffle<C: Class>(&mut self, seed: u64) -> Result<Moved<C>, Error>
    where
        W: Holds<C>,
    {
        match self.put(NewOrder::Random { class: C::ID, seed })? {
            Some(moved) => Ok(moved),
            None => self.world().shuffle(seed),
        }
    }

    /// Keeps the objects that the links name, in the order of the links. See
    /// [`World::reorder`](crate::world::World::reorder).
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Card { pub number: u32 }
    /// # #[soa_world] pub struct Game { pub cards: Objects<Card> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut game = Game::new();
    /// let cards: Vec<_> = game.cards.extend((0..3).map(|number| Card { number }))?.collect();
    /// game.on(Place::Host).reorder(&[cards[2], cards[0]])?;
    /// assert_eq!(game.cards.column(card::number), [2, 0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors), and for [`World::reorder`](crate::world::World::reorder).
    pub fn reorder<C: Class>(&mut self, order: &[Link<C>]) -> Result<Moved<C>, Error>
    where
        W: Holds<C>,
    {
        let indices = order.iter().map(|link| link.index() as u32);
        let indices = match checked::<W, C>(self.world(), indices)? {
            Ok(same) => return Ok(same),
            Err(indices) => indices,
        };
        match self.put(NewOrder::Given { class: C::ID, indices: &indices })? {
            Some(moved) => Ok(moved),
            None => put(self.world(), indices),
        }
    }

    /// Calls a kernel for all objects of its class, and removes the objects for which it returns `false`. See
    /// [`World::retain`](crate::world::World::retain).
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Card { pub number: u32 }
    /// # #[soa_world] pub struct Game { pub cards: Objects<Card> }
    /// # #[soa_methods]
    /// # impl Card { #[kernel] pub fn is_odd(&self) -> bool { self.number % 2 == 1 } }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut game = Game::new();
    /// game.cards.extend((0..6).map(|number| Card { number }))?;
    /// assert_eq!(game.on(Place::Host).retain(Card::is_odd, ())?.removed(), 3);
    /// assert_eq!(game.cards.column(card::number), [1, 3, 5]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors), and for [`World::reorder`](crate::world::World::reorder). No object is removed
    /// then, but the kernel's writes stay.
    pub fn retain<K, A>(&mut self, kernel: K, args: A) -> Result<Moved<K::Class>, Error>
    where
        K: Kernel + CollectOn<W, A, Output = bool>,
        A: Copy + Send + Sync,
        W: Holds<K::Class>,
    {
        const { assert_chooses::<K>("retain") }
        let kept =
            self.ask::<K, A, bool, _>(&Picked::All, &args, |executor, world, launch| executor.select(world, launch))?;
        let kept = match kept {
            Some(list) => Selection::<K::Class>::made(list, self.objects_of::<K::Class>().table().header.number),
            None => {
                let results = self.execute_and_collect(kernel, args)?;
                among::<K::Class, _>(self.objects_of(), Picked::<Link<K::Class>>::All.part(), |among, of| {
                    Selection::of(&results, among, of.table().header.number)
                })?
            }
        };
        self.keep(kept.list().order())
    }

    /// Gives the objects of a class the first ids, in their order. See [`World::compact`](crate::world::World::compact).
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Card { pub number: u32 }
    /// # #[soa_world] pub struct Game { pub cards: Objects<Card> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut game = Game::new();
    /// let cards: Vec<_> = game.cards.extend((0..3).map(|number| Card { number }))?.collect();
    /// game.remove(cards[0])?;
    /// game.on(Place::Host).compact::<Card>()?;
    /// assert_eq!(game.cards.column(card::number), [1, 2]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors), and for [`World::reorder`](crate::world::World::reorder).
    pub fn compact<C: Class>(&mut self) -> Result<Moved<C>, Error>
    where
        W: Holds<C>,
    {
        let live = Arc::clone(self.objects_of::<C>().live_list());
        self.keep(&live)
    }

    /// Keeps the objects of a list, which exist, in their order.
    fn keep<C: Class>(&mut self, list: &Arc<ListOrder>) -> Result<Moved<C>, Error>
    where
        W: Holds<C>,
    {
        match self.put(NewOrder::Kept { class: C::ID, list })? {
            Some(moved) => Ok(moved),
            None => {
                let indices: Vec<_> = list.listed(0)?.iter().map(|index| index as u32).collect();
                match checked::<W, C>(self.world(), indices.into_iter())? {
                    Ok(same) => Ok(same),
                    Err(indices) => put(self.world(), indices),
                }
            }
        }
    }

    /// Asks the place to put the objects of a class into another order. `None` if it cannot.
    fn put<C: Class>(&mut self, order: NewOrder<'_>) -> Result<Option<Moved<C>>, Error>
    where
        W: Holds<C>,
    {
        if self.place() == Place::Host {
            return Ok(None);
        }
        check_links(self.world(), &[])?;
        let before = self.objects_of::<C>().len();
        let reordered = self.at().with(|executor, world| executor.reorder(world, order))?;
        Ok(reordered.map(|reordered| moved(self.world(), reordered, before)))
    }
}

impl<W: World, O> Over<'_, W, O> {
    /// [`World::group_by`] for the objects of this subset.
    ///
    /// # Errors
    ///
    /// [`Error::NoKey`], [`Error::KeyOutOfRange`].
    #[track_caller]
    pub fn group_by<K, A, T, G>(&mut self, kernel: K, keys: G, args: A) -> Result<Groups<K::Class, G>, Error>
    where
        K: Kernel + Collect<W, A, Output = T>,
        T: Copy + Sync,
        G: Keys<T>,
        W: Holds<K::Class>,
        O: Subset<W, K>,
    {
        const { assert_chooses::<K>("group_by") }
        let (results, picked) = self.collect(kernel, args);
        among::<K::Class, _>(self.objects_of(), picked.part(), |among, of| group(keys, &results, among, of.table()))?
    }
}
