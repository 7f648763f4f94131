//! Executors whose results name objects: selections and groups.

use super::{On, Over, Picked, Subset};
use crate::class::Class;
use crate::dispatch::{Collect, CollectOn};
use crate::error::Error;
use crate::exec::Extent;
use crate::groups::{Groups, Keys, group};
use crate::kernel::Kernel;
use crate::list::Listed;
use crate::objects::Objects;
use crate::selection::Selection;
use crate::world::lives::assert_changes_nothing;
use crate::world::{Holds, Moved, World, or_panic, sort_by};

/// Calls `work` with the objects of a subset.
///
/// # Errors
///
/// As for [`Part::of`](crate::exec::Part), and errors of a device that holds the list.
fn among<C: Class, L, T>(
    objects: &Objects<C>,
    picked: &Picked<L>,
    work: impl FnOnce(&Listed, &Objects<C>) -> T,
) -> Result<T, Error> {
    Ok(match picked.part().of(0, objects)? {
        Extent::Range(range) => work(&Listed::Range(range), objects),
        Extent::List { list, class } => work(list.objects_of::<C>(class, objects.slots())?, objects),
    })
}

/// Fails to compile if a kernel makes or removes objects: its results would be of objects that are not there.
const fn assert_chooses<K: Kernel>(function: &str) {
    assert_changes_nothing(K::EFFECTS, function);
}

impl<W: World, O> On<'_, W, O> {
    /// Calls a kernel for the objects, and returns those for which it returns `true`. See [`Selection`].
    ///
    /// Like the results of [`execute_and_collect`](Self::execute_and_collect), the host makes the selection after a run
    /// on a GPU.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Car { pub km: u32 }
    /// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
    /// #[soa_methods]
    /// impl Car {
    ///     #[kernel]
    ///     pub fn is_used(&self) -> bool { self.km > 0 }
    ///     #[kernel]
    ///     pub fn clean(&mut self) { self.km = 0; }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut town = Town::new();
    /// town.cars.extend([5, 0, 7].map(|km| Car { km }))?;
    /// let mut place = town.on(Place::Host);
    /// let used = place.select(Car::is_used, ())?;
    /// place.over(&used).execute(Car::clean, ())?;
    /// assert!(place.over(&used).select(Car::is_used, ())?.is_empty());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors).
    pub fn select<K, A>(&mut self, kernel: K, args: A) -> Result<Selection<K::Class>, Error>
    where
        K: Kernel + CollectOn<W, A, Output = bool>,
        A: Copy + Send + Sync,
        W: Holds<K::Class>,
        O: Subset<K>,
    {
        const { assert_chooses::<K>("select") }
        let picked = self.pick::<K>()?;
        let results = self.collect(kernel, &picked, args)?;
        among::<K::Class, _, _>(self.objects_of(), &picked, |among, _| Selection::of(&results, among))
    }

    /// Calls a kernel for the objects, and groups them by what it returns. See
    /// [`World::group_by`](crate::world::World::group_by).
    ///
    /// Like the results of [`execute_and_collect`](Self::execute_and_collect), the host makes the groups after a run on
    /// a GPU.
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
        T: Copy + Sync,
        G: Keys<T>,
        W: Holds<K::Class>,
        O: Subset<K>,
    {
        const { assert_chooses::<K>("group_by") }
        let picked = self.pick::<K>()?;
        let results = self.collect(kernel, &picked, args)?;
        among::<K::Class, _, _>(self.objects_of(), &picked, |among, of| group(keys, &results, among, of.table()))?
    }
}

impl<W: World> On<'_, W> {
    /// Sorts the objects of a class by the keys that a kernel returns for them. See
    /// [`World::sort_by_key`](crate::world::World::sort_by_key). The host sorts.
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
    /// As for [all executors](Self#errors), and for [`World::reorder`](crate::world::World::reorder).
    pub fn sort_by_key<K, A, T>(&mut self, kernel: K, args: A) -> Result<Moved<K::Class>, Error>
    where
        K: Kernel + CollectOn<W, A, Output = T>,
        A: Copy + Send + Sync,
        T: Ord + Send + Sync + 'static,
        W: Holds<K::Class>,
    {
        const { assert_chooses::<K>("sort_by_key") }
        let keys = self.execute_and_collect(kernel, args)?;
        sort_by(self.world(), &keys)
    }
}

impl<W: World, O> Over<'_, W, O> {
    /// [`World::select`] among the objects of this subset.
    #[track_caller]
    pub fn select<K, A>(&mut self, kernel: K, args: A) -> Selection<K::Class>
    where
        K: Kernel + Collect<W, A, Output = bool>,
        W: Holds<K::Class>,
        O: Subset<K>,
    {
        const { assert_chooses::<K>("select") }
        let (results, picked) = self.collect(kernel, args);
        or_panic(among::<K::Class, _, _>(self.objects_of(), &picked, |among, _| Selection::of(&results, among)))
    }

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
        O: Subset<K>,
    {
        const { assert_chooses::<K>("group_by") }
        let (results, picked) = self.collect(kernel, args);
        among::<K::Class, _, _>(self.objects_of(), &picked, |among, of| group(keys, &results, among, of.table()))?
    }
}
