//! Executors with results: reductions, and results of single objects.

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use super::at::Sections;
use super::{
    Collection, Executor, Filtered, Filters, Form, Launch, ObjectField, On, Part, Picked, Reduction, Store, Subset,
};
use crate::class::Field;
use crate::column::Column;
use crate::dispatch::{CollectOn, ReduceOn};
use crate::error::Error;
use crate::link::Link;
use crate::reduce::part_accumulators;
use crate::storage::Stored;
use crate::transfer::{Transfer, WireType};
use crate::value::Value;
use crate::world::{Holds, Ready, World};

impl<W: World, O> On<'_, W, O> {
    /// Calls a kernel for the objects and combines the results. The order is the same as if the class had no other
    /// objects. Waits for the place.
    ///
    /// See [`Reducer`](crate::reduce::Reducer) for the order in which they are combined; it is the same at every place. The reducer must not
    /// have any state: it is a struct without fields.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub mass: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// #[soa_methods]
    /// impl Body {
    ///     #[kernel(reduce(Sum))]
    ///     pub fn weight(&self) -> f32 { self.mass }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// sim.bodies.extend([1.0, 2.0, 4.0].map(|mass| Body { mass }))?;
    /// assert_eq!(sim.on(Place::Host).execute_and_reduce(Body::weight, (), Sum)?, 7.0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](On#errors).
    pub fn execute_and_reduce<K, A, R, T>(&mut self, _kernel: K, args: A, reducer: R) -> Result<T, Error>
    where
        K: ReduceOn<W, A, R, Output = T>,
        A: Copy + Send + Sync,
        R: Copy,
        T: Transfer,
        O: Subset<W, K>,
    {
        let picked = self.pick::<K>()?;
        self.reduce::<K, A, R, T>(
            &picked,
            args,
            reducer,
            |run| run(Filters(&[])),
            |world, part| K::reduce(Ready::try_of(world)?, part, args, reducer),
        )
    }

    /// Combines the results of a kernel for some objects. `filtered` names the kernels that choose among them, and
    /// `on_host` does all on the host.
    pub(super) fn reduce<K, A, R, T>(
        &mut self,
        picked: &Picked<K::Link>,
        args: A,
        reducer: R,
        filtered: impl FnOnce(Filtered<'_>) -> Result<(), Error>,
        on_host: impl FnOnce(&mut W, Part<'_>) -> Result<T, Error>,
    ) -> Result<T, Error>
    where
        K: ReduceOn<W, A, R, Output = T>,
        A: Copy + Send + Sync,
        R: Copy,
        T: Transfer,
    {
        const {
            assert!(size_of::<R>() == 0, "a reducer with state runs on the host only");
            assert!(
                part_accumulators::<T>() == part_accumulators::<T::Wire>(),
                "a reduction would not have the same order on the GPU: put the tuple's members in the order of their sizes, the largest first, or return a struct under `#[derive(Clone, Copy, Value)] #[repr(C)]`"
            );
        }
        let mut sections = Sections::of::<K, A>(self.world, picked.part())?;
        for (class, section) in sections.as_mut().iter_mut().enumerate() {
            section.reducer = K::number(class);
        }
        let classes = sections.as_mut().len();
        if sections.as_mut().iter().all(|section| section.over.is_empty()) {
            return Ok(K::identity(reducer));
        }
        let mut one = MaybeUninit::<T::Wire>::uninit();
        let mut several = if classes > 1 { Vec::<T::Wire>::with_capacity(classes) } else { Vec::new() };
        let results = if classes > 1 { several.as_mut_ptr() } else { one.as_mut_ptr() };
        let form = Form::Reduce(Reduction {
            wire: WireType::of::<T>(),
            accumulators: part_accumulators::<T::Wire>(),
            results: NonNull::new(results).map_or(NonNull::dangling(), NonNull::cast),
        });
        let arguments = K::arguments(&args);
        let launch = sections.launch::<K>(form, arguments.as_ref());
        let (mut on_host, mut result, mut has_run) = (Some(on_host), None, false);
        filtered(&mut |Filters(filters)| {
            // A subset written by hand may pass those of another chain, or none, or call this never.
            let class = launch.sections[0].effects.class();
            assert!(filters.iter().all(|filter| filter.sections[0].effects.class() == class), "filters of one class");
            self.at().finish(Launch { filters, ..launch }, picked.part(), &mut |world, part| {
                if let Some(on_host) = on_host.take() {
                    result = Some(on_host(world, part)?);
                }
                Ok(())
            })?;
            has_run = true;
            Ok(())
        })?;
        if let Some(result) = result {
            return Ok(result);
        }
        assert!(has_run, "`Subset::with_filters` runs the work that it gets");
        let mut all = None;
        for (class, section) in sections.as_mut().iter().enumerate().rev() {
            let own = if section.over.is_empty() {
                K::identity(reducer)
            } else {
                let place = results.wrapping_add(class);
                // SAFETY: the run has ended without an error, so the reduction was not recorded, since recording it is an error. As
                // it did not call `on_host`, it has written the results of all sections with objects. A result has the same bytes at every place.
                T::unpack(unsafe { place.read() })
            };
            all = Some(K::combine(own, all, reducer));
        }
        Ok(all.unwrap_or_else(|| K::identity(reducer)))
    }

    /// Calls a kernel for the objects, combines the results, and stores the combined result in a field of an object. It
    /// does not wait for the place, so it can be part of a [recording](On::record) or a [loop](On::repeat_while), and
    /// later kernels can read the result.
    ///
    /// The result is that of [`execute_and_reduce`](Self::execute_and_reduce). It must not hold links.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub mass: f32 }
    /// # #[soa_class] pub struct Total { pub mass: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body>, pub totals: Objects<Total> }
    /// #[soa_methods]
    /// impl Body {
    ///     #[kernel(reduce(Sum))]
    ///     pub fn weight(&self) -> f32 { self.mass }
    ///     #[kernel]
    ///     pub fn scale(&mut self, total: Ref<Total>) { self.mass /= total.mass(); }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// sim.bodies.extend([1.0, 2.0, 5.0].map(|mass| Body { mass }))?;
    /// let total = sim.totals.push(Total { mass: 0.0 })?;
    /// let mut place = sim.on(Place::Host);
    /// place.reduce_into(Body::weight, (), Sum, total, total::mass)?;
    /// place.execute(Body::scale, total)?;
    /// assert_eq!(sim.bodies.column(body::mass), [0.125, 0.25, 0.625]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](On#errors); [`Error::NotInWorld`] if the object does not exist. A GPU cannot record it for
    /// kernels of several classes, for no objects, for a field of a class whose fields share memory, or for a field that
    /// the kernel takes a snapshot of.
    pub fn reduce_into<K, A, R, T, C, const F: usize>(
        &mut self,
        _kernel: K,
        args: A,
        reducer: R,
        link: Link<C>,
        column: Column<C, F>,
    ) -> Result<(), Error>
    where
        K: ReduceOn<W, A, R, Output = T>,
        A: Copy + Send + Sync,
        R: Copy + Send + Sync + 'static,
        T: Value,
        C: Field<F, Storage: Stored<Row = T, Value = T>>,
        W: Holds<C>,
        O: Subset<W, K>,
    {
        const {
            assert!(size_of::<R>() == 0, "a reducer with state runs on the host only");
            assert!(T::LINKS_TO.is_empty(), "a reduction does not store links");
        }
        let to = self.object_field(link, column)?;
        let picked = self.pick::<K>()?;
        let mut sections = Sections::of::<K, A>(self.world, picked.part())?;
        for (class, section) in sections.as_mut().iter_mut().enumerate() {
            section.reducer = K::number(class);
        }
        let (wire, accumulators) = (WireType::of::<T>(), part_accumulators::<T>());
        let arguments = K::arguments(&args);
        // The kernel itself may give the object another id, or remove it.
        let removes = sections.as_mut().iter().any(|section| section.effects.removes());
        let launch = sections.launch::<K>(Form::Store(Store { wire, accumulators, to }), arguments.as_ref());
        let on_host = move |world: &mut W, part: Part<'_>, args: A| {
            let tracked = removes.then(|| world.track(link)).transpose()?;
            let result = K::reduce(Ready::try_of(world)?, part, args, reducer)?;
            let link = match tracked {
                Some(tracked) => world.tracked(tracked).ok_or(Error::Removed { class: C::NAME, id: link.id() })?,
                None => link,
            };
            world.try_set(link, column, result)
        };
        match K::keep(args) {
            Some(kept) => {
                self.at().start(launch, picked.part(), move |world, part| on_host(world, part, K::given(kept)))
            }
            None => self.at().finish(launch, picked.part(), &mut |world, part| on_host(world, part, args)),
        }
    }

    /// The field of an object, for executors.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`]; [`Error::NotInitialized`].
    pub(super) fn object_field<C, const F: usize>(
        &mut self,
        link: Link<C>,
        _: Column<C, F>,
    ) -> Result<ObjectField, Error>
    where
        C: Field<F>,
        W: Holds<C>,
    {
        self.objects_of::<C>().check_initialized(link)?;
        Ok(ObjectField { class: C::ID, field: F, index: link.index() })
    }

    /// Calls a kernel for the objects, and returns the results class by class, in the order of the
    /// objects' ids. Waits for the place.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32, pub vel: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// #[soa_methods]
    /// impl Body {
    ///     #[kernel]
    ///     pub fn distance(&self, from: f32) -> f32 { (self.pos - from).abs() }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// sim.bodies.extend([1.0, 2.0, 4.0].map(|pos| Body { pos, vel: 0.0 }))?;
    /// assert_eq!(sim.on(Place::Host).execute_and_collect(Body::distance, 2.0)?, [1.0, 0.0, 2.0]);
    /// assert_eq!(sim.on(Place::Host).over(..2).execute_and_collect(Body::distance, 2.0)?, [1.0, 0.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](On#errors).
    pub fn execute_and_collect<K, A, T>(&mut self, kernel: K, args: A) -> Result<Vec<T>, Error>
    where
        K: CollectOn<W, A, Output = T>,
        A: Copy + Send + Sync,
        T: Transfer,
        O: Subset<W, K>,
    {
        let picked = self.pick::<K>()?;
        self.collect(kernel, &picked, args)
    }

    /// The results of a kernel for some objects.
    pub(super) fn collect<K, A, T>(&mut self, _kernel: K, picked: &Picked<K::Link>, args: A) -> Result<Vec<T>, Error>
    where
        K: CollectOn<W, A, Output = T>,
        A: Copy + Send + Sync,
        T: Transfer,
    {
        let mut sections = Sections::of::<K, A>(self.world, picked.part())?;
        let count = sections.as_mut().iter().map(|section| section.over.len()).sum();
        let mut results = Vec::<T::Wire>::with_capacity(count);
        let start = NonNull::new(results.as_mut_ptr()).map_or(NonNull::dangling(), NonNull::cast);
        let form = Form::Collect(Collection { wire: WireType::of::<T>(), results: start });
        let (arguments, mut on_host) = (K::arguments(&args), None);
        let launch = sections.launch::<K>(form, arguments.as_ref());
        self.at().finish(launch, picked.part(), &mut |world, part| {
            on_host = Some(K::collect(Ready::try_of(world)?, part, args)?);
            Ok(())
        })?;
        if let Some(results) = on_host {
            return Ok(results);
        }
        // SAFETY: the run was not recorded, since recording it is an error. If it did not call `on_host`, which the host's
        // executor does, it has written the results of all objects, for which there was room. A result has the same bytes
        // at every place.
        unsafe { results.set_len(count) };
        Ok(results.into_iter().map(T::unpack).collect())
    }

    /// Asks the place for the use of a kernel's results, of type `T`, for some objects.
    pub(super) fn ask<K, A, T, R>(
        &mut self,
        picked: &Picked<K::Link>,
        args: &A,
        ask: impl FnOnce(&mut dyn Executor<W>, &mut W, &Launch<'_>) -> Result<Option<R>, Error>,
    ) -> Result<Option<R>, Error>
    where
        K: CollectOn<W, A, Output = T>,
        T: Transfer,
    {
        let sections = Sections::of::<K, A>(self.world, picked.part())?;
        let arguments = K::arguments(args);
        let launch = sections.launch::<K>(Form::Choose(WireType::of::<T>()), arguments.as_ref());
        self.at().ask(&launch, ask)
    }
}
