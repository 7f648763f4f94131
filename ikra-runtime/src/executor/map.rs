//! The results of kernels, to be combined or collected: `map`.

use std::fmt::{self, Debug};
use std::mem;

use super::at::{At, Sections, has_elements};
use super::choose::among;
use super::{Filters, Form, On, Over, Picked, Subset};
use crate::class::Class;
use crate::dispatch::{CollectOn, ReduceOn};
use crate::error::Error;
use crate::exec::chain;
use crate::exec::stage::{Pure, Stage, Then, With};
use crate::kernel::{Call, Kernel};
use crate::list::Listed;
use crate::objects::{Links, Objects, generation};
use crate::place::Place;
use crate::reduce::Reducer;
use crate::transfer::Transfer;
use crate::world::{Holds, Ready, World, check_links, or_panic};
use ikra_core::effects::Effects;
use ikra_core::mapped::Mapped;
use ikra_core::target::groups::Made;

/// The results of a kernel for some objects, at every place. [`On::map`] describes them; nothing runs before they are
/// combined or collected.
#[must_use = "nothing runs before `reduce`, `collect` or `column` is called"]
pub struct MapOn<'w, W, O, K, A> {
    on: On<'w, W, O>,
    args: A,
    kernel: K,
}

/// The results of a kernel for some objects, on the host. [`Over::map`] describes them; nothing runs before they are
/// combined or collected.
#[must_use = "nothing runs before `reduce`, `collect` or `column` is called"]
pub struct MapOver<'w, W, O, K, A, F> {
    over: Over<'w, W, O>,
    args: A,
    /// The closures, as one, which also gets an object's index.
    with: F,
    kernel: K,
}

impl<W, O: Debug, K: Kernel, A> Debug for MapOn<'_, W, O, K, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapOn").field("of", &self.on.objects).field("by", &K::EFFECTS.kernel()).finish()
    }
}

impl<W, O: Debug, K: Kernel, A, F> Debug for MapOver<'_, W, O, K, A, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapOver").field("of", &self.over.objects).field("by", &K::EFFECTS.kernel()).finish()
    }
}

/// The results of a chain, as a column.
fn column<C: Class, S: Stage<C, Output: Send>>(
    among: &Listed,
    objects: &mut Objects<C>,
    stage: S,
) -> Mapped<C, S::Output> {
    let numbered = |index: u32, result| (index, result);
    let (ids, values): (Vec<u32>, Vec<_>) = chain::collect(objects, among, With(stage, numbered)).into_iter().unzip();
    column_of(objects, ids, values)
}

/// The results for the objects with these indices, which ascend, as a column.
fn column_of<C: Class, T>(objects: &mut Objects<C>, ids: Vec<u32>, values: Vec<T>) -> Mapped<C, T> {
    let made = Made { table: objects.table().header.number, generation: generation() };
    match (ids.first(), ids.last()) {
        (Some(&first), Some(&last)) if (last - first) as usize + 1 != ids.len() => {
            Mapped::of_list(ids.into(), values.into(), made)
        }
        (first, _) => Mapped::of_range(first.copied().unwrap_or(0), values.into(), made),
    }
}

impl<W: World, O: Clone> On<'_, W, O> {
    /// The results of a kernel for the objects: to be combined, or collected. Nothing runs before that.
    ///
    /// The kernel must be pure: it takes `&self`, changes no `#[atomic]` field, and makes and removes nothing. With the
    /// kernels of [`select`](Self::select) it runs in one loop over the objects.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Car { pub km: u32, pub speed: f32 }
    /// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
    /// #[soa_methods]
    /// impl Car {
    ///     #[kernel]
    ///     pub fn is_jammed(&self) -> bool { self.speed < 5.0 }
    ///     #[kernel(reduce(Sum, Max))]
    ///     pub fn delay(&self) -> f32 { 50.0 - self.speed }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut town = Town::new();
    /// town.cars.extend([3.0, 40.0, 0.5].map(|speed| Car { km: 0, speed }))?;
    /// let mut place = town.on(Place::Host);
    /// assert_eq!(place.select(Car::is_jammed, ()).map(Car::delay, ()).reduce(Sum)?, 96.5);
    /// assert_eq!(place.over(..2).map(Car::delay, ()).reduce(Max)?, 47.0);
    /// assert_eq!(place.map(Car::delay, ()).collect()?, [47.0, 10.0, 49.5]);
    /// # Ok(()) }
    /// ```
    pub fn map<K, A>(&mut self, kernel: K, args: A) -> MapOn<'_, W, O, K, A>
    where
        K: Kernel + Call<A> + CollectOn<W, A>,
        A: Copy + Send + Sync,
        O: Subset<W, K>,
    {
        let () = Pure::<K>::CHECK;
        let on = On { world: &mut *self.world, place: self.place, objects: self.objects.clone() };
        MapOn { on, args, kernel }
    }
}

/// A function that runs at every place. No closure does: there is no device code for it.
#[diagnostic::on_unimplemented(
    message = "a closure runs on the host only",
    label = "not at every place",
    note = "the short forms, as `sim.map(kernel, args).map(closure)`, run it on the host; at every place, compute the value in the kernel"
)]
pub trait Anywhere {}

/// The results of kernel `K` for the objects of `O`, as a stage.
type Results<W, O, K, A> = Then<<O as Subset<W, K>>::Filter, K, A>;

impl<W, O, K, A> MapOn<'_, W, O, K, A>
where
    W: World + Holds<K::Class>,
    K: Kernel + Call<A> + CollectOn<W, A>,
    A: Copy + Send + Sync,
    O: Subset<W, K, Filter: Stage<K::Class, Output = ()>>,
{
    /// Only the host runs closures, by [`World::map`] and [`Over::map`]: here they do not compile.
    #[doc(hidden)]
    pub fn map<F: Anywhere>(self, with: F) -> Self {
        let _ = with;
        self
    }

    /// Combines the results. See [`Reducer`] for the order, which is the same at every place. An object that
    /// [`select`](On::select) does not choose counts as the reducer's identity. So the result is that of a kernel for
    /// all objects that returns the identity for some, and objects need not be counted first.
    ///
    /// A GPU runs all kernels of the chain. If the last choice and the reduced kernel are of one `impl` block, and take
    /// values, they are one kernel there. Otherwise a list of the chosen objects is made first.
    ///
    /// # Errors
    ///
    /// As for [all executors](On#errors).
    pub fn reduce<R, T>(mut self, reducer: R) -> Result<T, Error>
    where
        K: Call<A, Output = T> + ReduceOn<W, A, R, Output = T>,
        R: Reducer<T>,
        T: Transfer,
    {
        if const { <O::Filter as Stage<K::Class>>::IS_ALL } {
            return self.on.execute_and_reduce(self.kernel, self.args, reducer);
        }
        let (args, stage) = (self.args, Then::<_, K, A>::new(self.on.objects.filter(), self.args));
        let picked = self.among()?;
        let On { world, place, objects } = self.on;
        On::new(world, place).reduce::<K, A, R, T>(
            &picked,
            args,
            reducer,
            |run| objects.with_filters(Filters(&[]), run),
            |world, part| {
                let mut world = Ready::try_of(world)?;
                among::<K::Class, _>(world.objects_mut(), part, |among, of| chain::reduce(of, among, stage, reducer))
            },
        )
    }

    /// The results, in the order of the objects' ids. Like those of [`execute_and_collect`](On::execute_and_collect),
    /// the host makes the list after a run on a GPU.
    ///
    /// # Errors
    ///
    /// As for [all executors](On#errors).
    pub fn collect<T: Send>(mut self) -> Result<Vec<T>, Error>
    where
        K: Call<A, Output = T> + CollectOn<W, A, Output = T>,
    {
        if const { <O::Filter as Stage<K::Class>>::IS_ALL } || self.on.place != Place::Host {
            return self.on.execute_and_collect(self.kernel, self.args);
        }
        Ok(self.run(|among, objects, stage| chain::collect(objects, among, stage))?.unwrap_or_default())
    }

    /// The results as a column, for kernels that take an [`Of`](ikra_core::mapped::Of). See [`Mapped`]. A GPU computes it,
    /// and the host keeps it.
    ///
    /// # Errors
    ///
    /// As for [all executors](On#errors).
    pub fn column<T: Send>(mut self) -> Result<Mapped<K::Class, T>, Error>
    where
        K: Call<A, Output = T> + CollectOn<W, A, Output = T>,
    {
        if self.on.place != Place::Host {
            let picked = self.on.pick::<K>()?;
            let values = self.on.collect(self.kernel, &picked, self.args)?;
            return among::<K::Class, _>(self.on.objects_of(), picked.part(), |listed, of| {
                column_of(of, listed.iter().map(|index| index as u32).collect(), values)
            });
        }
        let column = self.run(column)?;
        Ok(column.unwrap_or_else(|| unreachable!("the host has run the chain")))
    }

    /// The effects of all kernels of the chain together.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Car { pub km: u32, pub speed: f32, pub colour: u8 }
    /// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
    /// # #[soa_methods]
    /// # impl Car {
    /// #     #[kernel] pub fn is_jammed(&self) -> bool { self.speed < 5.0 }
    /// #     #[kernel] pub fn driven(&self) -> u32 { self.km }
    /// # }
    /// let mut town = Town::new();
    /// let mut place = town.on(Place::Host);
    /// let effects = place.select(Car::is_jammed, ()).map(Car::driven, ()).effects();
    /// assert_eq!(effects.kernel(), "Car::is_jammed, Car::driven");
    /// assert!(effects.reads().has(car::speed) && effects.reads().has(car::km) && !effects.reads().has(car::colour));
    /// ```
    #[must_use]
    pub fn effects(&self) -> &'static Effects {
        <Results<W, O, K, A> as Stage<K::Class>>::EFFECTS
    }

    /// The objects among which the chain chooses. Each of its columns has an element for the objects for which its kernel
    /// is called: if a column lacks one of all objects, the kernels choose first.
    fn among(&mut self) -> Result<Picked<K::Link>, Error> {
        let picked = At { world: &mut *self.on.world, place: self.on.place }.among::<K>(&self.on.objects)?;
        let mut sections = Sections::of::<K, A>(self.on.world, picked.part())?;
        let arguments = K::arguments(&self.args);
        let mut found = has_elements(arguments.as_ref(), sections.as_mut());
        self.on.objects.with_filters(Filters(&[]), &mut |Filters(filters)| {
            for filter in filters {
                found = mem::replace(&mut found, Ok(())).and(has_elements(filter.arguments, sections.as_mut()));
            }
            Ok(())
        })?;
        if found.is_err() {
            check_links(self.on.world, arguments.as_ref())?;
            let chosen = self.on.pick::<K>()?;
            has_elements(arguments.as_ref(), Sections::of::<K, A>(self.on.world, chosen.part())?.as_mut())?;
        }
        Ok(picked)
    }

    /// Does work with the chain on the host, and returns its result.
    fn run<T>(
        &mut self,
        work: impl FnOnce(&Listed, &mut Objects<K::Class>, Results<W, O, K, A>) -> T,
    ) -> Result<Option<T>, Error> {
        let stage = Then::new(self.on.objects.filter(), self.args);
        let picked = self.among()?;
        let sections = Sections::of::<K, A>(self.on.world, picked.part())?;
        let arguments = K::arguments(&self.args);
        let launch = sections.launch::<K>(Form::Chain, arguments.as_ref());
        let (mut work, mut result) = (Some(work), None);
        self.on.at().finish(launch, picked.part(), &mut |world, part| {
            let mut world = Ready::try_of(world)?;
            let Some(work) = work.take() else { return Ok(()) };
            result = Some(among::<K::Class, _>(world.objects_mut(), part, |among, of| work(among, of, stage))?);
            Ok(())
        })?;
        Ok(result)
    }
}

impl<W: World, O: Clone> Over<'_, W, O> {
    /// The results of a kernel for the objects: to be changed by closures, combined, or collected. Nothing runs before
    /// that. See [`On::map`].
    ///
    /// ```
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Car { pub km: u32, pub speed: f32 }
    /// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
    /// #[soa_methods]
    /// impl Car {
    ///     #[kernel]
    ///     pub fn is_jammed(&self) -> bool { self.speed < 5.0 }
    ///     #[kernel]
    ///     pub fn delay(&self) -> f32 { 50.0 - self.speed }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut town = Town::new();
    /// town.cars.extend([3.0, 40.0, 0.5].map(|speed| Car { km: 0, speed }))?;
    /// let cost = 0.5;
    /// let all = town.select(Car::is_jammed, ()).map(Car::delay, ()).map(|delay| delay * cost).reduce(Sum);
    /// assert_eq!(all, 48.25);
    /// assert_eq!(town.over(1..).map(Car::delay, ()).map(|delay| delay as u32).collect(), [10, 49]);
    /// # Ok(()) }
    /// ```
    pub fn map<K, A>(
        &mut self,
        kernel: K,
        args: A,
    ) -> MapOver<'_, W, O, K, A, impl Fn(u32, <K as Call<A>>::Output) -> <K as Call<A>>::Output + Copy + Sync>
    where
        K: Kernel + Call<A>,
        A: Copy + Send + Sync,
        O: Subset<W, K>,
    {
        let () = Pure::<K>::CHECK;
        let over = Over { world: &mut *self.world, objects: self.objects.clone() };
        MapOver::new(over, kernel, args, |_, result| result)
    }
}

impl<'w, W, O, K: Kernel, A, F> MapOver<'w, W, O, K, A, F> {
    pub(crate) fn new(over: Over<'w, W, O>, kernel: K, args: A, with: F) -> Self {
        Self { over, args, with, kernel }
    }
}

impl<'w, W, O, K, A, F, T> MapOver<'w, W, O, K, A, F>
where
    W: World + Holds<K::Class>,
    K: Kernel + Call<A>,
    A: Copy + Send + Sync,
    O: Subset<W, K, Filter: Stage<K::Class, Output = ()>>,
    F: Fn(u32, <K as Call<A>>::Output) -> T + Sync,
{
    /// The results, each changed by a closure. See [`Over::map`] for an example.
    pub fn map<U>(
        self,
        with: impl Fn(T) -> U + Sync,
    ) -> MapOver<'w, W, O, K, A, impl Fn(u32, <K as Call<A>>::Output) -> U + Sync> {
        let Self { over, kernel, args, with: before } = self;
        MapOver { over, kernel, args, with: move |index, result| with(before(index, result)) }
    }

    /// Combines the results, by any reducer. See [`MapOn::reduce`].
    #[track_caller]
    pub fn reduce<R: Reducer<T>>(mut self, reducer: R) -> T
    where
        T: Copy + Send + Sync,
    {
        self.run(|among, objects, stage| chain::reduce(objects, among, stage, reducer))
    }

    /// The results, in the order of the objects' ids.
    #[track_caller]
    pub fn collect(mut self) -> Vec<T>
    where
        T: Send,
    {
        self.run(|among, objects, stage| chain::collect(objects, among, stage))
    }

    /// The results as a column, for kernels that take an [`Of`](ikra_core::mapped::Of). See [`Mapped`].
    #[track_caller]
    pub fn column(mut self) -> Mapped<K::Class, T>
    where
        T: Send,
    {
        self.run(|among, objects, stage| column(among, objects, stage))
    }

    /// Makes objects of the results, which are rows, and returns the links to them.
    ///
    /// ```
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Car { pub km: u32 }
    /// # #[soa_class] pub struct Wreck { pub of: Link<Car>, pub parts: u32 }
    /// # #[soa_world] pub struct Town { pub cars: Objects<Car>, pub wrecks: Objects<Wreck> }
    /// #[soa_methods]
    /// impl Car {
    ///     #[kernel]
    ///     pub fn is_old(&self) -> bool { self.km > 100 }
    ///     #[kernel]
    ///     pub fn wrecked(&self) -> Wreck { Wreck { of: self.link(), parts: self.km % 7 } }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut town = Town::new();
    /// town.cars.extend([5, 101, 300].map(|km| Car { km }))?;
    /// let made = town.select(Car::is_old, ()).map(Car::wrecked, ()).construct()?;
    /// assert_eq!(made.len(), 2);
    /// assert_eq!(town.wrecks.column(wreck::parts), [3, 6]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Objects::extend`], which also says what is added then.
    #[track_caller]
    pub fn construct(mut self) -> Result<Links<T>, Error>
    where
        T: Class,
        W: Holds<T>,
    {
        let rows = self.run(|among, objects, stage| chain::collect(objects, among, stage));
        Holds::<T>::objects_mut(self.over.world).extend(rows)
    }

    /// The effects of all kernels of the chain together. See [`MapOn::effects`].
    #[must_use]
    pub fn effects(&self) -> &'static Effects {
        <Results<W, O, K, A> as Stage<K::Class>>::EFFECTS
    }

    /// Does work with the chain, and returns its result.
    #[track_caller]
    fn run<U>(&mut self, work: impl FnOnce(&Listed, &mut Objects<K::Class>, With<Results<W, O, K, A>, &F>) -> U) -> U {
        let stage = With(Then::new(self.over.objects.filter(), self.args), &self.with);
        let picked = or_panic(At { world: &mut *self.over.world, place: Place::Host }.among::<K>(&self.over.objects));
        let mut world = Ready::of(&mut *self.over.world);
        or_panic(among::<K::Class, _>(world.objects_mut(), picked.part(), |among, of| work(among, of, stage)))
    }
}
