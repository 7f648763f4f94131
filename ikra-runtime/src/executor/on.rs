//! The executors that users call; they work at every place.

use std::ops::RangeFull;

use super::at::Sections;
use super::run::Section;
use super::{Extent, Form, Launch, Part, Recording, Subset};
use crate::class::{Field, has_arena};
use crate::column::Column;
use crate::dispatch::{ExecuteOn, run_pairs};
use crate::error::Error;
use crate::exec;
use crate::kernel::{Construct, OnDevice, PairCall};
use crate::layout::Contiguous;
use crate::list::{LinkList, ListedLink, Unordered};
use crate::objects::{Links, generation};
use crate::place::Place;
use crate::storage::Plain;
use crate::tile_row;
use crate::value::Value;
use crate::world::{Holds, Ready, World, check_links};
use ikra_core::effects::Effects;
use ikra_core::sums::Sums;

/// The executors of a world at one [`Place`]. [`World::on`] returns it.
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
/// # The same result at every place
///
/// A kernel gives the same results at every place, to the last bit, and with any number of threads. With
/// `Floats::Strict`, the default of `ikra-build`, three things may differ on a GPU:
/// which NaN an operation gives; sums of floating-point numbers in `#[atomic]` fields, which depend on the order
/// everywhere; and functions of `ikra::math` that have `approx` in their names.
///
/// Some operations would give other bits on a GPU: `%` of floating-point numbers, `x.max(y)` where the numbers may be
/// −0 and 0, methods of `std` such as `x.sin()`. They are errors when the device code is built. Each error shows the
/// line and a replacement; `ikra::math` has the table.
///
/// So that they can run everywhere, kernels take values here, and reductions return values: numbers, `bool`s, links,
/// arrays of these, and structs under `#[derive(Clone, Copy, Value)] #[repr(C)]`. Kernels with type parameters, or with
/// references among their arguments, run on the host only, by the short forms of [`World`]:
///
/// | any place | the host only | the GPU that the world used last, or the first |
/// | --- | --- | --- |
/// | `sim.on(place).execute(Body::kick, dt)?` | `sim.execute(Body::kick, dt)` | `sim.cuda_execute(Body::kick, dt)?` |
///
/// # Where columns are stored
///
/// Ikra copies columns by itself. A kernel on a GPU first uploads the columns that changed on the host. Reading a
/// column on the host downloads it. A loop of kernels at one place copies nothing while the program does not access the
/// columns elsewhere. A world can be on several GPUs, each with a copy of the columns. If a kernel changed a column on
/// one GPU, it is copied through the host before a kernel on another GPU uses it.
///
/// Kernels run in the order in which they are started. On the host a kernel has finished when its executor returns. On
/// a GPU it has only been started: [`synchronize`](Self::synchronize), a reduction, or reading a column that it changed
/// waits for it.
///
/// # Errors
///
/// All executors return [`Error::NotAllInitialized`] while reserved objects are not initialised. They return
/// [`Error::BadLink`] if a column has a link to an object that does not exist, and [`Error::NotInWorld`] if an argument
/// is such a link. Within [`record`](Self::record) they return [`Error::NotRecordable`] for operations that cannot be
/// recorded. `construct` only requires that its own objects can be made.
///
/// Without the feature `cuda`, executors on a GPU return [`Error::NoSuchPlace`]. With it they can also return
/// `Error::Gpu` with a `GpuError`: `NoDevice` without a driver or GPU; `NoDeviceCode` if the build script made no
/// device code; `NoSuchKernel` if the device code lacks the kernel; `DeviceCodeDiffers` if device code and program were
/// compiled with different definitions of a class or a kernel; `DeviceCodeRejected`; `OutOfDeviceMemory` (the world
/// stays usable on the host); and `DeviceLost` after a kernel has failed. The next call that waits for the kernel
/// reports the failure. A call of the driver that fails when objects have begun to move, come or go is `DeviceLost` too.
///
/// # When a kernel fails
///
/// On the host the panic reaches the caller, and the world stays usable: see [`World`].
///
/// On a GPU, a kernel that panics or recurses too deeply ends all work of the process on that GPU: the driver accepts
/// no more. The next call that waits for the kernel returns `GpuError::DeviceLost`. The error names the kernel, or all
/// kernels that ran since the program last waited. A world that is dropped before that reports the error on standard
/// error. Other worlds of the process on the GPU get the same error.
///
/// The driver prints one line on standard error, however many objects panic:
///
/// ```text
/// src/model.rs:36: Body::fail for Body#501: block: [1,0,0], thread: [244,0,0] Assertion `too old` failed.
/// ```
///
/// The line names the position in the model, the kernel, and the object. It has the message too, if the message has no
/// values in it. (A function that is not inlined into the kernel, such as a recursive one, reports its own line, and `a
/// kernel` in place of kernel and object.)
///
/// Values that the GPU changed and that were not fetched are lost. They are never replaced silently by stale ones:
/// reading such a column panics with the error, and running a kernel on the host returns it. This lasts until
/// `sim.cuda().accept_loss()` accepts the host's stale values. All other columns can be read as before.
///
/// The GPU is reset once all worlds and recordings of the process that used it are dropped, or their losses accepted.
/// The next kernel then opens it again. Some drivers allow a process no more work after a failure; they answer with
/// `GpuError::NoDevice`. The program can then continue on the host, or be restarted.
#[derive(Debug)]
pub struct On<'w, W, O = RangeFull> {
    pub(super) world: &'w mut W,
    pub(super) place: Place,
    pub(super) objects: O,
}

impl<'w, W: World> On<'w, W> {
    pub(crate) fn new(world: &'w mut W, place: Place) -> Self {
        Self { world, place, objects: .. }
    }

    /// The same executors, restricted to some objects: a range of positions, or links. See [`Subset`].
    ///
    /// ```
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub mass: f32 }
    /// # #[soa_methods]
    /// # impl Body { #[kernel(reduce(Sum))] pub fn weight(&self) -> f32 { self.mass } }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let (mut sim, place) = (Sim::new(), Place::Host);
    /// let links: Vec<_> = sim.bodies.extend([1.0, 2.0, 4.0, 8.0].map(|mass| Body { mass }))?.collect();
    /// assert_eq!(sim.on(place).over(1..3).execute_and_reduce(Body::weight, (), Sum)?, 6.0);
    /// assert_eq!(sim.on(place).over(&[links[3], links[0]]).execute_and_reduce(Body::weight, (), Sum)?, 9.0);
    /// assert!(sim.on(place).over(..9).execute_and_reduce(Body::weight, (), Sum).is_err());
    /// # Ok(()) }
    /// ```
    #[must_use = "it names objects; `execute` and the like run kernels for them"]
    pub fn over<O>(&mut self, objects: O) -> On<'_, W, O> {
        On { world: &mut *self.world, place: self.place, objects }
    }

    /// The place where the kernels run.
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

    /// Opens the place, if it is not open yet, and returns its worker: a GPU's name, or a number of threads.
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
        self.at().with(|executor, _| executor.worker())
    }

    /// The links of a column, as a list. The place that holds the column sorts it, without copying it. The list does
    /// not follow later changes to the column.
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
    /// place.over(&watched).execute(Body::advance, 0.5)?;
    /// assert_eq!(sim.bodies.column(body::pos), [1.5, 2.0, 3.5]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors); [`Error::Duplicate`] if two links name the same object.
    pub fn links<C, const K: usize, L>(&mut self, column: Column<C, K>) -> Result<LinkList<L>, Error>
    where
        W: Holds<C>,
        C: Field<K, Storage = Plain<L>>,
        C::Layout: Contiguous,
        L: ListedLink + Value,
    {
        check_links(self.world, &[])?;
        let has_holes = self.objects_of::<C>().holes() > 0;
        let unordered = Unordered::column::<C, L>(K).filter(|_| self.place != Place::Host && !has_holes);
        if let Some(unordered) = unordered
            && let Some(order) = self.at().with(|executor, world| executor.order(world, &unordered))?
        {
            return Ok(LinkList::of(order));
        }
        let objects = Holds::<C>::objects(self.world);
        if has_holes { LinkList::new(&objects.copy_column(column)) } else { LinkList::new(objects.column(column)) }
    }

    /// Makes `n` objects by a constructor, in parallel, and returns the links to them.
    ///
    /// The constructor's first argument is the new object's index in its class, counted from 0. The class must not have
    /// an `InnerArray`, because only the host can make its elements: use [`World::construct`] for such a class.
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
    /// [`Error::OutOfMemory`]. Nothing is added if there is an error.
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
        let first = Holds::<K::Class>::objects(self.world).slots();
        let arguments = K::arguments(&args);
        let section = Section {
            effects: const { &Effects::constructor::<K::Class>() },
            over: Extent::Range(first..first.saturating_add(n)),
            entry: K::ENTRY,
            reducer: 0,
        };
        let launch = Launch::of(&section, Form::Construct, arguments.as_ref());
        self.at().finish(launch, Part::All, &mut |world, _| {
            exec::construct::<K, A>(world.objects_mut(), n, args).map(drop)
        })?;
        Ok(Holds::<K::Class>::objects(self.world).links_from(first))
    }

    /// Waits until all kernels started so far have finished.
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
        self.at().with(|executor, world| executor.synchronize(world))
    }

    /// Records the kernels that `sequence` starts, without running them. [`replay`](Self::replay) runs them with the
    /// arguments that they are given here. On a GPU a replay costs one launch, which suits simulations whose steps are
    /// many small kernels. On the host it runs them one after another.
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
    /// Changes by `sequence` through [`world`](Self::world), and kernels that it starts elsewhere, happen immediately, and are
    /// not recorded. On a GPU, a kernel after a change is [`Error::NotRecordable`].
    ///
    /// # Errors
    ///
    /// The errors of `sequence`. It may start kernels for all objects, for ranges, and for pairs, but no reductions and
    /// no lists, and it must not change the number of objects. [`Error::NotRecordable`] if it did something else, or
    /// replaced the world by another one. In either case, or if `sequence` panics, nothing is recorded and the world
    /// stays usable.
    pub fn record(&mut self, sequence: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<Recording, Error> {
        // Before the sequence runs: it may itself change ids after it started kernels.
        let made = generation();
        let recorder = self.at().with(|executor, world| executor.recorder(world))?;
        let mut sequence = Some(sequence);
        let recorded = recorder.record(&mut || match sequence.take() {
            Some(sequence) => sequence(self),
            None => Ok(()),
        })?;
        let recorded = self.at().with(|executor, world| executor.recorded(world, recorded))?;
        Ok(Recording::new(self.place, recorded, made))
    }

    /// Runs recorded kernels; see [`record`](Self::record).
    ///
    /// # Errors
    ///
    /// As for [all executors](Self#errors). [`Error::StaleRecording`] if the recording was made at another place, in
    /// another world, or before this world was opened again at the place. The same error reports objects that were
    /// added since, arrays with other lengths, and objects exchanged by `mem::swap`. Nothing is run then.
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
        // SAFETY: `check_links` has linked the tables and checked the links, and the world has been borrowed since.
        self.at().with(|executor, world| unsafe { executor.replay(world, recording) })
    }
}

impl<W: World, O> On<'_, W, O> {
    /// Calls a kernel for the objects: all objects of its class or trait, or the subset chosen by [`over`](On::over).
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
        A: Copy + Send + Sync,
        O: Subset<W, K>,
    {
        let picked = self.pick::<K>()?;
        let sections = Sections::of::<K, A>(self.world, picked.part())?;
        let arguments = K::arguments(&args);
        let launch = sections.launch::<K>(Form::Each, arguments.as_ref());
        match K::keep(args) {
            Some(kept) => self
                .at()
                .start(launch, picked.part(), move |world, part| K::run(Ready::try_of(world)?, part, K::given(kept))),
            None => {
                self.at().finish(launch, picked.part(), &mut |world, part| K::run(Ready::try_of(world)?, part, args))
            }
        }
    }

    /// Calls a kernel for every pair of an object and another one, including the object with itself. The other one
    /// ranges over all objects of its class.
    ///
    /// Each object visits the others one after another in the order of their ids, so that the result equals that of a
    /// double loop, bit for bit.
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
        O: Subset<W, K>,
    {
        let picked = self.pick::<K>()?;
        let sections = Sections::of::<K, A>(self.world, picked.part())?;
        let arguments = K::arguments(&args);
        let form = Form::Pairs { other_bytes: tile_row::bytes::<K::Other, K>(), sums: Sums::of::<K>() };
        let launch = sections.launch::<K>(form, arguments.as_ref());
        self.at()
            .start(launch, picked.part(), move |world, part| run_pairs::<K, A, W>(Ready::try_of(world)?, part, args))
    }
}
