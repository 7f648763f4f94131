//! The executors that users call, once for all places.

use std::mem::{self, MaybeUninit};
use std::ops::{Range, RangeBounds};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use super::host::Host;
use super::run::{OnHost, Step};
use super::{Executor, Form, Launch, Over, Recording, Reduction, Run, Section};
use crate::class::{Class, Field, has_arena};
use crate::column::Column;
use crate::dispatch::{ExecuteOn, ReduceOn};
use crate::error::Error;
use crate::exec::{self, positions};
use crate::kernel::{Call, Construct, Discardable, OnDevice, PairCall, ReducedBy};
use crate::layout::Contiguous;
use crate::list::{AsLinkList, LinkList, ListOrder, ListedLink, Unordered};
use crate::objects::Links;
use crate::place::Place;
use crate::reduce::{Reducer, part_accumulators};
use crate::storage::Plain;
use crate::tile_row;
use crate::transfer::Transfer;
use crate::value::Value;
use crate::world::{Holds, World, check_links, try_ready_for_kernel};

/// The executors of a world, at one [`Place`]: what [`World::on`] returns.
///
/// ```
/// use ikra::{On, Place, prelude::*};
///
/// #[soa_class]
/// pub struct Body { pub pos: f32, pub vel: f32 }
///
/// #[soa_methods]
/// impl Body {
///     #[kernel]
///     pub fn kick(&mut self, dt: f32) { self.vel -= self.pos * dt; }
///     #[kernel]
///     pub fn drift(&mut self, dt: f32) { self.pos += self.vel * dt; }
///     #[kernel(reduce(Sum))]
///     pub fn energy(&self) -> f32 { self.vel * self.vel + self.pos * self.pos }
/// }
///
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// fn step(sim: &mut On<'_, Sim>, dt: f32) -> Result<(), ikra::Error> {
///     sim.execute(Body::kick, dt)?;
///     sim.execute(Body::drift, dt)
/// }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// sim.bodies.extend((0..1000).map(|n| Body { pos: n as f32, vel: 0.0 }))?;
/// // For example from the command line: `host`, `gpu`, `gpu:1`.
/// let place: Place = "host".parse().unwrap();
/// let before = sim.on(place).execute_and_reduce(Body::energy, (), Sum)?;
/// for _ in 0..10 {
///     step(&mut sim.on(place), 0.01)?;
/// }
/// let after = sim.on(place).execute_and_reduce(Body::energy, (), Sum)?;
/// assert!((after / before - 1.0).abs() < 0.02);
/// # Ok(()) }
/// ```
///
/// # The same at every place
///
/// A kernel does the same everywhere, to the last bit, and results do not depend on the number of threads. With
/// `Floats::Strict`, the default of `ikra-build`, three things may differ on a GPU: which NaN an operation gives, sums of
/// floating-point numbers in `#[atomic]` fields, which depend on the order everywhere, and functions of `ikra::math` that
/// have `approx` in their names. Operations that would give other bits (`%` of floating-point numbers, `x.max(y)` where
/// the numbers may be −0 and 0, methods of `std` such as `x.sin()`) are errors when the device code is built, which show
/// the line and what to write instead; `ikra::math` has the table.
///
/// So that they can run everywhere, kernels take values here, and reductions return values: numbers, `bool`s, links,
/// arrays of these, and structs under `#[derive(Clone, Copy, Value)] #[repr(C)]`. Kernels with type parameters or with
/// references among their arguments run on the host, by the short forms of [`World`]:
///
/// | any place | the host only | the GPU that the world used last, or the first |
/// | --- | --- | --- |
/// | `sim.on(place).execute(Body::kick, dt)?` | `sim.execute(Body::kick, dt)` | `sim.cuda_execute(Body::kick, dt)?` |
///
/// # Where columns are
///
/// Columns move by themselves: a kernel on a GPU first copies those there that changed on the host, and reading a column
/// on the host copies that one back. A loop of kernels at one place without access from the other copies nothing. A world
/// can be on several GPUs: each has a copy of the columns, and what kernels changed on one is copied, by way of the host, to
/// another before a kernel runs there.
///
/// Kernels run in the order in which they are started. On the host they are done when the executor returns, on a GPU
/// they are started: [`synchronize`](Self::synchronize), a reduction, or reading what they changed waits for them.
///
/// # Errors
///
/// All executors return [`Error::NotAllInitialized`] while reserved objects are not initialised, [`Error::BadLink`] if a
/// column has a link to no object, [`Error::NotInWorld`] if an argument is one, and within [`record`](Self::record)
/// [`Error::NotRecordable`] for what cannot be recorded. `construct` needs no more than that its own objects can be made.
///
/// On a GPU they also return [`Error::NoSuchPlace`] if the program was built without the feature `cuda`, and with it
/// `Error::Gpu` of a `GpuError`: `NoDevice` without a driver or GPU, `NoDeviceCode` if the build script made none,
/// `NoSuchKernel` and `DeviceCodeDiffers` if the device code has no such kernel, or was compiled with another idea of a
/// class or a kernel than the program, `DeviceCodeRejected`, `OutOfDeviceMemory` (the world can still be used on the
/// host), and `DeviceLost` after a kernel has failed. What goes wrong in a kernel on a GPU is reported by the next call
/// that waits for it.
///
/// # When a kernel fails
///
/// On the host the panic arrives in the caller, and the world can be used further: see [`World`].
///
/// On a GPU, a kernel that panics or recurses too deeply ends all work of the process on
/// that GPU: the driver does nothing more there. The next call that waits for it returns `GpuError::DeviceLost`, which
/// names the kernel, or all those that ran since somebody last waited; a world that is dropped before says so on standard
/// error. Other worlds of the process on the GPU get the same error.
///
/// The driver prints one line on standard error, however many objects panic:
///
/// ```text
/// src/model.rs:36: Body::fail for Body#501: block: [1,0,0], thread: [244,0,0] Assertion `too old` failed.
/// ```
///
/// That is the line in the model, the kernel, the object, and the message, if it has no values in it. (Where a function is
/// not inlined into the kernel, a recursive one for example, its line is there, and `a kernel` in place of kernel and
/// object.)
///
/// What the GPU changed and nobody fetched is lost. No old value takes its place silently: reading such a column panics
/// with the error, and running a kernel on the host returns it, each time, until `cuda_accept_loss` says that the values
/// which the host has from before will do. All other columns can be read as before.
///
/// When all worlds and recordings of the process that used the GPU are dropped, or their losses accepted, it is reset, so
/// that the next kernel opens it again. Drivers that allow a process no more work after a failure answer with
/// `GpuError::NoDevice`; the program goes on with the host, or is started again.
#[derive(Debug)]
pub struct On<'w, W> {
    world: &'w mut W,
    place: Place,
}

impl<'w, W: World> On<'w, W> {
    pub(crate) fn new(world: &'w mut W, place: Place) -> Self {
        Self { world, place }
    }

    /// Where the kernels run.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// The world, to read and to change its objects between kernels.
    ///
    /// ```
    /// use ikra::{On, Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, by: f32) { self.pos += by; } }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    ///
    /// fn step(sim: &mut On<'_, Sim>) -> Result<f32, ikra::Error> {
    ///     sim.execute(Body::advance, 0.5)?;
    ///     Ok(sim.world().bodies.column(body::pos)[0])
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// # sim.bodies.push(Body { pos: 1.0 })?;
    /// assert_eq!(step(&mut sim.on(Place::Host))?, 1.5);
    /// # Ok(()) }
    /// ```
    pub fn world(&mut self) -> &mut W {
        self.world
    }

    /// Opens the place, if no kernel has yet, and returns who does the work there: a GPU's name, or a number of threads.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// let threads = Sim::new().on(Place::Host).open()?;
    /// assert!(threads.ends_with(" threads") || threads == "1 thread");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [executors](Self#errors).
    pub fn open(&mut self) -> Result<String, Error> {
        self.with(|executor, _| executor.worker())
    }

    /// Calls a kernel for all objects of its class.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32, pub vel: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// #[soa_methods]
    /// impl Body {
    ///     #[kernel]
    ///     pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// let body = sim.bodies.push(Body { pos: 1.0, vel: 2.0 })?;
    /// sim.on(Place::Host).execute(Body::advance, 0.5)?;
    /// assert_eq!(sim.get(body).pos(), 2.0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors).
    pub fn execute<K, A>(&mut self, _kernel: K, args: A) -> Result<(), Error>
    where
        K: ExecuteOn<W, A>,
    {
        K::run_on(self, None, args)
    }

    /// Calls a kernel for the objects at some positions, counted from 0 in the order of their ids.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, by: f32) { self.pos += by; } }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// sim.bodies.extend([1.0, 2.0, 3.0].map(|pos| Body { pos }))?;
    /// sim.on(Place::Host).execute_range(Body::advance, 1.., 0.5)?;
    /// assert_eq!(sim.bodies.column(body::pos), [1.0, 2.5, 3.5]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors).
    ///
    /// # Panics
    ///
    /// If the range ends after the last object or before it starts, as slicing does.
    pub fn execute_range<K, A>(&mut self, _kernel: K, range: impl RangeBounds<usize>, args: A) -> Result<(), Error>
    where
        K: Call<A, Output: Discardable> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        W: Holds<K::Class>,
    {
        self.run_range::<K, A>(range, args)
    }

    pub(crate) fn run_range<K, A>(&mut self, range: impl RangeBounds<usize>, args: A) -> Result<(), Error>
    where
        K: Call<A> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        W: Holds<K::Class>,
    {
        let Range { start, end } = self.positions::<K::Class>(range);
        let (section, arguments) = (Section::of::<K, A>(Over::Range(start..end)), K::arguments(&args));
        let launch = Launch::of(&section, Form::Each, arguments.as_ref());
        self.start(launch, move |world: &mut W| {
            try_ready_for_kernel(world)?;
            exec::execute::<K, A>(world.objects_mut(), start..end, args);
            Ok(())
        })
    }

    /// Calls a kernel for some objects. While the links are those of the call before, the world uses the list that it made of
    /// them; a [`LinkList`](crate::list::LinkList) is one that the program keeps.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, by: f32) { self.pos += by; } }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// let links: Vec<_> = sim.bodies.extend([1.0, 2.0, 3.0].map(|pos| Body { pos }))?.collect();
    /// sim.on(Place::Host).execute_each(Body::advance, &[links[2], links[0]], 0.5)?;
    /// assert_eq!(sim.bodies.column(body::pos), [1.5, 2.0, 3.5]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors); [`Error::Duplicate`] if an object is in the list twice,
    /// [`Error::NotInWorld`]: the kernel is then called for none.
    pub fn execute_each<K, A>(
        &mut self,
        _kernel: K,
        links: &(impl AsLinkList<K::Link> + ?Sized),
        args: A,
    ) -> Result<(), Error>
    where
        K: ExecuteOn<W, A>,
    {
        let list = self.listed(links)?;
        K::run_on(self, Some(&list), args)
    }

    /// The links of a column, as a list: put in order where the column is, without copying it. Later changes to the column
    /// are not in the list.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// #[soa_class] pub struct Body { pub pos: f32 }
    /// #[soa_class] pub struct Sensor { pub at: Link<Body> }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body>, pub sensors: Objects<Sensor> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, by: f32) { self.pos += by; } }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// let bodies: Vec<_> = sim.bodies.extend([1.0, 2.0, 3.0].map(|pos| Body { pos }))?.collect();
    /// sim.sensors.extend([2, 0].map(|n| Sensor { at: bodies[n] }))?;
    /// let mut place = sim.on(Place::Host);
    /// let watched = place.links(sensor::at)?;
    /// place.execute_each(Body::advance, &watched, 0.5)?;
    /// assert_eq!(sim.bodies.column(body::pos), [1.5, 2.0, 3.5]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors); [`Error::Duplicate`] if two are links to the same object.
    pub fn links<C, const K: usize, L>(&mut self, column: Column<C, K>) -> Result<LinkList<L>, Error>
    where
        W: Holds<C>,
        C: Field<K, Storage = Plain<L>>,
        C::Layout: Contiguous,
        L: ListedLink + Value,
    {
        check_links(self.world, &[])?;
        let unordered = Unordered::column::<C, L>(K).filter(|_| self.place != Place::Host);
        if let Some(unordered) = unordered
            && let Some(order) = self.with(|executor, world| executor.order(world, &unordered))?
        {
            return Ok(LinkList::of(order));
        }
        LinkList::new(Holds::<C>::objects(self.world).column(column))
    }

    /// The list of some links, put in order where kernels run if these are many.
    fn listed<L: ListedLink>(&mut self, links: &(impl AsLinkList<L> + ?Sized)) -> Result<LinkList<L>, Error> {
        /// As many as the host puts in order before a device has begun.
        const FEW: usize = 1 << 14;
        let mut last = mem::take(self.world.state_mut().last_list());
        let list = links.as_link_list(&mut last, &mut |links| {
            let unordered = Unordered::slice(links).filter(|_| self.place != Place::Host && links.len() >= FEW);
            if let Some(unordered) = unordered
                && let Some(order) = self.with(|executor, world| executor.order(world, &unordered))?
            {
                return Ok(LinkList::of(order));
            }
            LinkList::new(links)
        });
        *self.world.state_mut().last_list() = last;
        let list = list?;
        list.check_current(self.world)?;
        Ok(list)
    }

    /// For the objects of a list that are of the class with this number.
    pub(crate) fn run_each<K, A>(&mut self, list: &Arc<ListOrder>, class: usize, args: A) -> Result<(), Error>
    where
        K: Call<A> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        W: Holds<K::Class>,
    {
        list.check::<K::Class>(class, self.positions::<K::Class>(..).end)?;
        let (section, arguments) = (Section::of::<K, A>(Over::List { list, class }), K::arguments(&args));
        let launch = Launch::of(&section, Form::Each, arguments.as_ref());
        self.finish(launch, &mut |world: &mut W| {
            try_ready_for_kernel(world)?;
            exec::execute_each::<K, A>(world.objects_mut(), list, class, args)
        })
    }

    /// Calls a kernel for every pair of an object and another, an object and itself included.
    ///
    /// Each object visits the others one after another in the order of their ids, so that the result is
    /// that of a double loop, bit for bit.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32, pub force: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// #[soa_methods]
    /// impl Body {
    ///     #[kernel(pairs)]
    ///     pub fn attract(&mut self, other: Ref<Body>, strength: f32) {
    ///         self.force += strength * (other.pos() - self.pos);
    ///     }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// sim.bodies.extend([1.0, 2.0, 4.0].map(|pos| Body { pos, force: 0.0 }))?;
    /// sim.on(Place::Host).execute_pairs(Body::attract, 0.5)?;
    /// assert_eq!(sim.bodies.column(body::force), [2.0, 0.5, -2.5]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors).
    pub fn execute_pairs<K, A>(&mut self, _kernel: K, args: A) -> Result<(), Error>
    where
        K: PairCall<A> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        W: Holds<K::Class> + Holds<K::Other>,
    {
        let form = Form::Pairs { other_bytes: tile_row::bytes::<K::Other, K>() };
        let arguments = K::arguments(&args);
        let section = Section::of::<K, A>(Over::Range(self.positions::<K::Class>(..)));
        self.start(Launch::of(&section, form, arguments.as_ref()), move |world: &mut W| {
            try_ready_for_kernel(world)?;
            let others = ptr::from_ref(Holds::<K::Other>::objects(world).table());
            exec::execute_pairs::<K, A>(Holds::<K::Class>::objects_mut(world), others, args);
            Ok(())
        })
    }

    /// Calls a kernel for all objects of its class and combines the results. Waits for the place.
    ///
    /// See [`Reducer`] for the order in which they are combined, which is the same at every place. The reducer must have
    /// no state: a struct without fields.
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
    /// As for [all executors](Self#errors).
    pub fn execute_and_reduce<K, A, R, T>(&mut self, _kernel: K, args: A, reducer: R) -> Result<T, Error>
    where
        K: ReduceOn<W, A, R, Output = T>,
    {
        K::reduce_on(self, None, args, reducer)
    }

    /// Calls a kernel for the objects at some positions, counted from 0 in the order of their ids, and
    /// combines the results: in the same order as if there were no other objects. Waits for the place.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub mass: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel(reduce(Sum))] pub fn weight(&self) -> f32 { self.mass } }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// sim.bodies.extend([1.0, 2.0, 4.0, 8.0].map(|mass| Body { mass }))?;
    /// assert_eq!(sim.on(Place::Host).execute_range_and_reduce(Body::weight, 1..3, (), Sum)?, 6.0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors).
    ///
    /// # Panics
    ///
    /// If the range ends after the last object or before it starts, as slicing does.
    pub fn execute_range_and_reduce<K, A, R>(
        &mut self,
        _kernel: K,
        range: impl RangeBounds<usize>,
        args: A,
        reducer: R,
    ) -> Result<K::Output, Error>
    where
        K: Call<A, Output: Transfer> + ReducedBy<R> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        R: Reducer<K::Output>,
        W: Holds<K::Class>,
    {
        self.reduce_range::<K, A, R>(range, args, reducer)
    }

    pub(crate) fn reduce_range<K, A, R>(
        &mut self,
        range: impl RangeBounds<usize>,
        args: A,
        reducer: R,
    ) -> Result<K::Output, Error>
    where
        K: Call<A, Output: Transfer> + ReducedBy<R> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        R: Reducer<K::Output>,
        W: Holds<K::Class>,
    {
        let range = self.positions::<K::Class>(range);
        self.reduce::<K, A, R>(Over::Range(range.clone()), range.len(), args, reducer, |world| {
            Ok(exec::execute_and_reduce::<K, A, R>(world.objects_mut(), range.clone(), args, reducer))
        })
    }

    /// Calls a kernel for some objects and combines the results: in the same order as if these were all
    /// objects, in that of their ids. Waits for the place.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub mass: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel(reduce(Max))] pub fn weight(&self) -> f32 { self.mass } }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// let links: Vec<_> = sim.bodies.extend([1.0, 2.0, 4.0, 8.0].map(|mass| Body { mass }))?.collect();
    /// let some = [links[2], links[0]];
    /// assert_eq!(sim.on(Place::Host).execute_each_and_reduce(Body::weight, &some, (), Max)?, 4.0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors); [`Error::Duplicate`] if an object is in the list twice,
    /// [`Error::NotInWorld`]: the kernel is then called for none.
    pub fn execute_each_and_reduce<K, A, R, T>(
        &mut self,
        _kernel: K,
        links: &(impl AsLinkList<K::Link> + ?Sized),
        args: A,
        reducer: R,
    ) -> Result<T, Error>
    where
        K: ReduceOn<W, A, R, Output = T>,
    {
        let list = self.listed(links)?;
        K::reduce_on(self, Some(&list), args, reducer)
    }

    /// For the objects of a list that are of the class with this number.
    pub(crate) fn reduce_each<K, A, R>(
        &mut self,
        list: &Arc<ListOrder>,
        class: usize,
        args: A,
        reducer: R,
    ) -> Result<K::Output, Error>
    where
        K: Call<A, Output: Transfer> + ReducedBy<R> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        R: Reducer<K::Output>,
        W: Holds<K::Class>,
    {
        let count = list.check::<K::Class>(class, self.positions::<K::Class>(..).end)?;
        self.reduce::<K, A, R>(Over::List { list, class }, count, args, reducer, |world| {
            exec::execute_each_and_reduce::<K, A, R>(world.objects_mut(), list, class, args, reducer)
        })
    }

    /// Makes `n` objects by a constructor, in parallel, and returns the links to them.
    ///
    /// The constructor's first argument is the new object's index in its class, counted from 0. The class has no
    /// `InnerArray`, whose elements can only be made on the host: use [`World::construct`] then.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// #[soa_methods]
    /// impl Body {
    ///     #[kernel]
    ///     pub fn spawn(id: u32, spacing: f32) -> Self { Self { pos: id as f32 * spacing } }
    /// }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// sim.on(Place::Host).construct(3, Body::spawn, 0.5)?;
    /// assert_eq!(sim.bodies.column(body::pos), [0.0, 0.5, 1.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors); [`Error::CapacityExceeded`], [`Error::TooManyObjects`],
    /// [`Error::OutOfMemory`]. Nothing is added then.
    pub fn construct<K, A>(&mut self, n: usize, _constructor: K, args: A) -> Result<Links<K::Class>, Error>
    where
        K: Construct<A> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        W: Holds<K::Class>,
    {
        const {
            assert!(
                !has_arena::<K::Class>(),
                "the class has an `InnerArray`, whose elements are made on the host: use `World::construct`"
            );
        }
        let first = Holds::<K::Class>::objects(self.world).len();
        let arguments = K::arguments(&args);
        let section = Section::construct::<K, A>(first..first.saturating_add(n));
        let launch = Launch::of(&section, Form::Construct, arguments.as_ref());
        self.finish(launch, &mut |world: &mut W| exec::construct::<K, A>(world.objects_mut(), n, args).map(drop))?;
        Ok(Holds::<K::Class>::objects(self.world).links_from(first))
    }

    /// Waits until everything started so far is done.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// sim.on(Place::Host).synchronize()?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors).
    pub fn synchronize(&mut self) -> Result<(), Error> {
        self.with(|executor, world| executor.synchronize(world))
    }

    /// Records the kernels that `sequence` starts, without running them, to be run by [`replay`](Self::replay) with the
    /// arguments that they are given here. On a GPU a replay costs one launch: for simulations whose steps are many small
    /// kernels. On the host it runs them one after another.
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32, pub vel: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body {
    /// #     #[kernel] pub fn kick(&mut self, dt: f32) { self.vel -= dt * self.pos; }
    /// #     #[kernel] pub fn drift(&mut self, dt: f32) { self.pos += dt * self.vel; }
    /// # }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let place = Place::Host;
    /// # let mut sim = Sim::new();
    /// sim.bodies.push(Body { pos: 1.0, vel: 0.0 })?;
    /// let step = sim.on(place).record(|sim| {
    ///     sim.execute(Body::kick, 0.5)?;
    ///     sim.execute(Body::drift, 0.5)
    /// })?;
    /// assert_eq!(sim.bodies.column(body::pos), [1.0], "nothing has run yet");
    /// for _ in 0..2 {
    ///     sim.on(place).replay(&step)?;
    /// }
    /// assert_eq!(sim.bodies.column(body::pos), [0.3125]);
    /// # Ok(()) }
    /// ```
    ///
    /// What `sequence` does by [`world`](Self::world) is done at once, and is not part of the recording.
    ///
    /// # Errors
    ///
    /// Those of `sequence`, which may start kernels for all objects, for ranges, and for pairs: no reductions, no lists, and
    /// nothing that changes the number of objects. [`Error::NotRecordable`] if it did something else, or put another world
    /// in this one's place. In either case, or if `sequence` panics, nothing is recorded and the world can be used further.
    pub fn record(&mut self, sequence: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<Recording, Error> {
        let recorder = self.with(|executor, world| executor.recorder(world))?;
        let mut sequence = Some(sequence);
        let recorded = recorder.record(&mut || match sequence.take() {
            Some(sequence) => sequence(self),
            None => Ok(()),
        })?;
        let recorded = self.with(|executor, world| executor.recorded(world, recorded))?;
        Ok(Recording::new(self.place, recorded))
    }

    /// Runs recorded kernels; see [`record`](Self::record).
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors). [`Error::StaleRecording`] if the recording was made at another place, in
    /// another world, or before this one was opened there again; if objects were added since, arrays have other
    /// lengths, or objects were exchanged by `mem::swap`. Nothing is run then.
    pub fn replay(&mut self, recording: &Recording) -> Result<(), Error> {
        if recording.place() != self.place {
            let reason = format!("it was made at `{}`, and is replayed at `{}`", recording.place(), self.place);
            return Err(Error::StaleRecording { reason });
        }
        let members = self.world.members();
        if let Some(moved) = members.as_ref().iter().find(|member| member.generation() > recording.generation()) {
            let reason = format!("objects of class {} got other ids since", moved.name());
            return Err(Error::StaleRecording { reason });
        }
        drop(members);
        check_links(self.world, &[])?;
        // SAFETY: `check_links` has seen to both, and the world is borrowed since.
        self.with(|executor, world| unsafe { executor.replay(world, recording) })
    }

    /// Calls `work` with the place's executor, which is made if there is none.
    fn with<T>(&mut self, work: impl FnOnce(&mut dyn Executor<W>, &mut W) -> Result<T, Error>) -> Result<T, Error> {
        /// Puts the executor back, also after a panic.
        struct Taken<'a, W: World>(&'a mut W, Option<Box<dyn Executor<W>>>);
        impl<W: World> Drop for Taken<'_, W> {
            fn drop(&mut self) {
                if let Some(executor) = self.1.take() {
                    self.0.state_mut().executors().put(executor);
                }
            }
        }
        let executor = take(self.world, self.place)?;
        let mut taken = Taken(self.world, Some(executor));
        match &mut taken {
            Taken(world, Some(executor)) => work(&mut **executor, world),
            Taken(_, None) => unreachable!("it was just taken"),
        }
    }

    /// Checks the links that a kernel follows without looking, and those among its arguments.
    fn check(&self, launch: &Launch<'_>) -> Result<(), Error> {
        match (self.place, launch.form) {
            // Nothing is followed; what is stored is checked before the next kernel.
            (Place::Host, Form::Construct) => Ok(()),
            // A constructor follows no links. Those that it is given may be to objects that it makes.
            (_, Form::Construct) => check_links(self.world, &[]),
            _ => check_links(self.world, launch.arguments),
        }
    }

    /// Starts a run that can be recorded.
    pub(crate) fn start<F>(&mut self, launch: Launch<'_>, on_host: F) -> Result<(), Error>
    where
        F: Fn(&mut W) -> Result<(), Error> + Copy + Send + Sync + 'static,
    {
        self.check(&launch)?;
        let step: &dyn Step<W> = &on_host;
        self.with(|executor, world| executor.run(world, &mut Run { launch, on_host: OnHost::Step(step) }))
    }

    /// Does a run that cannot be recorded.
    pub(crate) fn finish(
        &mut self,
        launch: Launch<'_>,
        on_host: &mut dyn FnMut(&mut W) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.check(&launch)?;
        self.with(|executor, world| executor.run(world, &mut Run { launch, on_host: OnHost::Once(on_host) }))
    }

    /// Combines the results of a kernel for `count` objects.
    fn reduce<K, A, R>(
        &mut self,
        over: Over<'_>,
        count: usize,
        args: A,
        reducer: R,
        on_host: impl Fn(&mut W) -> Result<K::Output, Error>,
    ) -> Result<K::Output, Error>
    where
        K: Call<A, Output: Transfer> + ReducedBy<R> + OnDevice<A>,
        R: Reducer<K::Output>,
    {
        const {
            assert!(size_of::<R>() == 0, "a reducer with state runs on the host only");
            assert!(
                part_accumulators::<K::Output>() == part_accumulators::<WireOf<K, A>>(),
                "a reduction would not have the same order on the GPU: put the tuple's members in the order of their sizes, the largest first, or return a struct under `#[derive(Clone, Copy, Value)] #[repr(C)]`"
            );
        }
        if count == 0 {
            return Ok(reducer.identity());
        }
        let mut wire = MaybeUninit::<WireOf<K, A>>::uninit();
        let mut result = None;
        let form = Form::Reduce(Reduction {
            number: K::NUMBER,
            size: size_of::<WireOf<K, A>>(),
            align: align_of::<WireOf<K, A>>(),
            accumulators: part_accumulators::<WireOf<K, A>>(),
            result: NonNull::from(&mut wire).cast(),
        });
        let (section, arguments) = (Section::of::<K, A>(over), K::arguments(&args));
        self.finish(Launch::of(&section, form, arguments.as_ref()), &mut |world: &mut W| {
            try_ready_for_kernel(world)?;
            result = Some(on_host(world)?);
            Ok(())
        })?;
        Ok(match result {
            Some(result) => result,
            // SAFETY: a reduction that was not recorded, since that is an error, and that did not call `on_host` has
            // written its result, which has the same bytes at every place.
            None => K::Output::unpack(unsafe { wire.assume_init() }),
        })
    }

    /// The positions of a range of objects.
    fn positions<C: Class>(&self, range: impl RangeBounds<usize>) -> Range<usize>
    where
        W: Holds<C>,
    {
        positions(range, Holds::<C>::objects(self.world).len(), C::NAME)
    }
}

/// As what the results of a kernel travel.
type WireOf<K, A> = <<K as Call<A>>::Output as Transfer>::Wire;

/// Takes the executor of a place out of its world, or makes one.
fn take<W: World>(world: &mut W, place: Place) -> Result<Box<dyn Executor<W>>, Error> {
    match world.state_mut().executors().take(place) {
        Some(executor) => Ok(executor),
        None if place == Place::Host => Ok(Box::new(Host::new())),
        None => W::open(world, place),
    }
}
