//! The executors on the device.

use std::fmt;
use std::mem::MaybeUninit;
use std::ops::RangeBounds;
use std::sync::Arc;
use std::time::Duration;

use ikra_core::class::{Class, has_arena};
use ikra_core::effects::FieldSet;
use ikra_core::kernel::{Argument, Call, Construct, Discardable, Kernel, OnDevice, PairCall, ReducedBy};
use ikra_core::link::Link;
use ikra_core::reduce::{ACCUMULATORS, Reducer, part_accumulators, part_len};
use ikra_core::tile_row;
use ikra_core::transfer::Transfer;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::exec::{check_distinct, positions};
use ikra_runtime::objects::{AnyObjects, Links};
use ikra_runtime::world::{Holds, World};

use crate::PAIR_THREADS;
use crate::code::{CALL, Kind, Shape};
use crate::columns::Columns;
use crate::driver::{Context, DeviceInfo, Graph, Grid};
use crate::queue::{Queue, Trace};
use crate::session::{self, Changes, Session, TableState};
use crate::stats::DeviceStats;

/// Threads of a block.
const THREADS: u32 = 256;
/// The same for kernels that do much work a call, which tend to need more registers.
const HEAVY_THREADS: u32 = 128;
/// Threads that run on a multiprocessor at the same time, at most.
const THREADS_OF_MULTIPROCESSOR: usize = 2048;
/// Shared memory that every device has for a block, in bytes.
const SHARED_BYTES: usize = 48 * 1024;

/// A sequence of kernels that can be run again at the cost of one launch; see
/// [`cuda_record`](CudaWorld::cuda_record).
///
/// It belongs to the world that it was made in, as that world was then: elsewhere, after objects were added, or after
/// [`cuda_open`](CudaWorld::cuda_open) chose another device, replaying it is an error. It may outlive the world.
#[derive(Debug)]
pub struct Recording {
    // Dropped first: what it runs is in the queue's module.
    graph: Graph,
    trace: Trace,
    tables: Vec<TableState>,
    queue: Arc<Queue>,
}

/// A column whose last values were on a device that failed; see [`cuda_accept_loss`](CudaWorld::cuda_accept_loss).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostColumn {
    /// The class.
    pub class: &'static str,
    /// The field.
    pub field: &'static str,
}

impl fmt::Display for LostColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.class, self.field)
    }
}

/// Worlds on an NVIDIA GPU.
///
/// Each executor of [`World`] has a twin here, which runs the same kernel on the device:
///
/// | host | device |
/// | --- | --- |
/// | `sim.execute(Body::advance, 0.01)` | `sim.cuda_execute(Body::advance, 0.01)?` |
/// | returns when it is done | returns when it is started |
///
/// Columns move by themselves: a launch copies those to the device that changed on the host, and reading
/// a column on the host copies that one back. A loop of launches without host access copies nothing.
///
/// Kernels run in the order in which they are started. What goes wrong in one is reported by the next
/// call that waits for the device.
///
/// # The same bits
///
/// With `Floats::Strict`, the default of `ikra-build`, a kernel gives the same bits as on the host, but for which NaN an
/// operation gives, for sums of floating-point numbers in `#[atomic]` fields, which depend on the order everywhere, and for
/// functions of [`math`](ikra_core::math) that have `approx` in their names. Operations that would give other bits (`%` of
/// floating-point numbers, `x.max(y)` where the numbers may be −0 and 0, methods of `std` such as `x.sin()`) are errors when
/// the device code is built, which show the line and what to write instead; [`math`](ikra_core::math) has the table.
///
/// ```no_run
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Body { pub pos: f32, pub vel: f32 }
///
/// #[soa_methods]
/// impl Body {
///     #[kernel]
///     pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; }
/// }
///
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// sim.bodies.extend((0..1000).map(|n| Body { pos: n as f32, vel: 1.0 }))?;
/// for _ in 0..100 {
///     sim.cuda_execute(Body::advance, 0.01)?;
/// }
/// println!("{:?}", sim.bodies.column(body::pos));
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// All executors return [`GpuError::NoDevice`] without a driver or GPU, [`GpuError::NoDeviceCode`] if the
/// build script made none, [`GpuError::NoSuchKernel`] and [`GpuError::DeviceCodeDiffers`] if the device code has no such
/// kernel, or was compiled with another idea of a class or a kernel than the program, [`GpuError::DeviceCodeRejected`],
/// [`GpuError::OutOfDeviceMemory`] (the world can still be used on the host), [`Error::NotAllInitialized`] while reserved
/// objects are not initialised, [`GpuError::NotRecordable`] for what cannot be recorded, and [`GpuError::DeviceLost`].
///
/// # When a kernel fails
///
/// A kernel that panics, follows a link of another world, or recurses too deeply ends all work of the process on that
/// device: the driver does nothing more there. The next call that waits for the device returns
/// [`GpuError::DeviceLost`], which names the kernel, or all those that ran since somebody last waited; a world that is
/// dropped before says so on standard error. Other worlds of the process on the device get the same error.
///
/// The driver prints one line on standard error, however many objects panic:
///
/// ```text
/// src/model.rs:36: Body::fail for Body#501: block: [1,0,0], thread: [244,0,0] Assertion `too old` failed.
/// ```
///
/// That is the line in the model, the kernel, the object, and the message, if it has no values in it. (Where a function is not
/// inlined into the kernel, a recursive one for example, its line is there, and `a kernel` in place of kernel and object.)
///
/// What the device changed and nobody fetched is lost. No old value takes its place silently: reading such a column,
/// or running a kernel on the host, panics with the error, each time, until
/// [`cuda_accept_loss`](Self::cuda_accept_loss) says that the values which the host has from before will do. All other
/// columns can be read as ever.
///
/// When all worlds and recordings of the process that used the device are dropped, or their losses accepted, the device
/// is reset, so that the next launch opens it anew. Drivers that allow a process no more work after a failure answer
/// with [`GpuError::NoDevice`]; the program goes on with the host, or is started again.
pub trait CudaWorld: World {
    /// Chooses the device, by its number within `CUDA_VISIBLE_DEVICES`, and opens it. Without this the
    /// first launch opens device 0.
    ///
    /// What the world changed on another device is fetched first.
    ///
    /// # Errors
    ///
    /// As for executors. The world then stays where it was. [`GpuError::DeviceLost`] after a kernel has failed:
    /// [`cuda_accept_loss`](Self::cuda_accept_loss) comes first.
    fn cuda_open(&mut self, device: usize) -> Result<DeviceInfo, Error> {
        open(self, |context| context.device().index == device, || Context::open(device))
    }

    /// Whether the device code has a kernel, and was compiled with the same idea of it, of its arguments and of the
    /// world's classes as the program: what a launch finds out first. Needs no GPU, and is meant for tests.
    ///
    /// ```no_run
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += dt; } }
    /// #[test]
    /// fn the_device_code_fits() {
    ///     Sim::new().cuda_check(Body::advance, 0.01).unwrap();
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`GpuError::NoDeviceCode`], [`GpuError::NoSuchKernel`], [`GpuError::DeviceCodeDiffers`].
    fn cuda_check<K, A>(&mut self, _kernel: K, args: A) -> Result<(), Error>
    where
        K: OnDevice<A>,
    {
        let code = Self::device_code().ok_or(GpuError::NoDeviceCode { world: std::any::type_name::<Self>() })?;
        Ok(session::check(code, K::ENTRY, K::arguments(&args).as_ref(), self.members_mut().as_mut())?)
    }

    /// After a kernel has failed: lets the world go on with the values that the host has from before, and returns the
    /// columns whose last values are lost. Until then they cannot be read.
    ///
    /// Does nothing if no kernel is known to have failed. The next launch opens the device anew, where the driver
    /// allows that; see [above](CudaWorld#when-a-kernel-fails).
    ///
    /// ```no_run
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += dt; } }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// sim.cuda_execute(Body::advance, 0.01)?;
    /// if let Err(error) = sim.cuda_synchronize() {
    ///     let lost = sim.cuda_accept_loss();
    ///     eprintln!("{error}: {} columns go back to what they were", lost.len());
    ///     sim.execute(Body::advance, 0.01);
    /// }
    /// # Ok(()) }
    /// ```
    fn cuda_accept_loss(&mut self) -> Vec<LostColumn> {
        let mut lost = Vec::new();
        for objects in self.members_mut().as_mut() {
            if Columns::known(&mut **objects).is_some_and(|columns| columns.queue.check().is_err()) {
                let (class, newer) = (objects.name(), objects.newer_on_device());
                let fields = objects.signature().fields.iter().enumerate();
                lost.extend(
                    fields
                        .filter(|&(field, _)| newer.contains(field) && objects.count() > 0)
                        .map(|(_, field)| LostColumn { class, field: field.name }),
                );
                // SAFETY: the caller is given the list of what is lost.
                unsafe { objects.lose_device() };
            }
        }
        if let Some(session) = take(self)
            && session.queue.check().is_ok()
        {
            put(self, session);
        }
        lost
    }

    /// Calls a kernel for all objects of its class.
    fn cuda_execute<K, A>(&mut self, _kernel: K, args: A) -> Result<(), Error>
    where
        K: Call<A, Output: Discardable> + OnDevice<A>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class>,
    {
        let end = Holds::<K::Class>::objects(self).len();
        launch::<K, A, Self>(self, 0, end, None, args)
    }

    /// Calls a kernel for the objects at some positions, counted from 0 in the order of their ids.
    ///
    /// # Panics
    ///
    /// If the range ends after the last object or before it starts, as slicing does.
    fn cuda_execute_range<K, A>(&mut self, _kernel: K, range: impl RangeBounds<usize>, args: A) -> Result<(), Error>
    where
        K: Call<A, Output: Discardable> + OnDevice<A>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class>,
    {
        let range = positions(range, Holds::<K::Class>::objects(self).len(), K::Class::NAME);
        launch::<K, A, Self>(self, range.start, range.end, None, args)
    }

    /// Calls a kernel for some objects.
    ///
    /// # Errors
    ///
    /// [`Error::Duplicate`] if an object is in the list twice, [`Error::NotInWorld`]; the kernel is then
    /// called for none.
    fn cuda_execute_each<K, A>(&mut self, _kernel: K, links: &[Link<K::Class>], args: A) -> Result<(), Error>
    where
        K: Call<A, Output: Discardable> + OnDevice<A>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class>,
    {
        check_distinct(Holds::<K::Class>::objects(self), links)?;
        let list: Vec<u32> = links.iter().map(|link| link.index() as u32).collect();
        launch::<K, A, Self>(self, 0, list.len(), Some(&list), args)
    }

    /// Calls a kernel for every pair of an object and another, an object and itself included. Each
    /// object meets the others in the order of their ids, as on the host.
    fn cuda_execute_pairs<K, A>(&mut self, _kernel: K, args: A) -> Result<(), Error>
    where
        K: PairCall<A> + OnDevice<A>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class> + Holds<K::Other>,
    {
        let end = Holds::<K::Class>::objects(self).len();
        let shared_bytes = (PAIR_THREADS * tile_row::bytes::<K::Other, K>()) as u32;
        let job = Job { threads: PAIR_THREADS as u32, shared_bytes, together: true, ..job_of::<K>() };
        with(self, |world, session| start::<K, A, Self>(world, session, job, 0, end, None, args))
    }

    /// Calls a kernel for all objects of its class and combines the results, in the same order as on the
    /// host. Waits for the device.
    ///
    /// The reducer must have no state: a struct without fields.
    fn cuda_execute_and_reduce<K, A, R>(&mut self, _kernel: K, args: A, reducer: R) -> Result<K::Output, Error>
    where
        K: Call<A, Output: Transfer> + ReducedBy<R> + OnDevice<A>,
        A: Copy + Send + Sync,
        R: Reducer<K::Output>,
        Self: Holds<K::Class>,
    {
        let end = Holds::<K::Class>::objects(self).len();
        reduce::<K, A, R, Self>(self, 0, end, None, args, reducer)
    }

    /// Calls a kernel for the objects at some positions, counted from 0 in the order of their ids, and combines
    /// the results, in the same order as on the host. Waits for the device.
    ///
    /// The reducer must have no state: a struct without fields.
    ///
    /// # Panics
    ///
    /// If the range ends after the last object or before it starts, as slicing does.
    fn cuda_execute_range_and_reduce<K, A, R>(
        &mut self,
        _kernel: K,
        range: impl RangeBounds<usize>,
        args: A,
        reducer: R,
    ) -> Result<K::Output, Error>
    where
        K: Call<A, Output: Transfer> + ReducedBy<R> + OnDevice<A>,
        A: Copy + Send + Sync,
        R: Reducer<K::Output>,
        Self: Holds<K::Class>,
    {
        let range = positions(range, Holds::<K::Class>::objects(self).len(), K::Class::NAME);
        reduce::<K, A, R, Self>(self, range.start, range.end, None, args, reducer)
    }

    /// Calls a kernel for some objects and combines the results, in the same order as on the host. Waits for the
    /// device.
    ///
    /// The reducer must have no state: a struct without fields.
    ///
    /// # Errors
    ///
    /// [`Error::Duplicate`] if an object is in the list twice, [`Error::NotInWorld`]; the kernel is then
    /// called for none.
    fn cuda_execute_each_and_reduce<K, A, R>(
        &mut self,
        _kernel: K,
        links: &[Link<K::Class>],
        args: A,
        reducer: R,
    ) -> Result<K::Output, Error>
    where
        K: Call<A, Output: Transfer> + ReducedBy<R> + OnDevice<A>,
        A: Copy + Send + Sync,
        R: Reducer<K::Output>,
        Self: Holds<K::Class>,
    {
        check_distinct(Holds::<K::Class>::objects(self), links)?;
        let list: Vec<u32> = links.iter().map(|link| link.index() as u32).collect();
        reduce::<K, A, R, Self>(self, 0, list.len(), Some(&list), args, reducer)
    }

    /// Makes `n` objects by a constructor, on the device, and returns the links to them.
    ///
    /// # Errors
    ///
    /// Also [`Error::CapacityExceeded`], [`Error::TooManyObjects`], [`Error::OutOfMemory`]; nothing is
    /// added then.
    fn cuda_construct<K, A>(&mut self, n: usize, _constructor: K, args: A) -> Result<Links<K::Class>, Error>
    where
        K: Construct<A> + OnDevice<A>,
        A: Copy + Send + Sync,
        Self: Holds<K::Class>,
    {
        const {
            assert!(
                !has_arena::<K::Class>(),
                "the class has an `InnerArray`, whose elements are made on the host: use `construct`"
            );
        }
        with(self, |world, session| {
            session.queue.refuse_in_recording("making objects")?;
            let objects = Holds::<K::Class>::objects_mut(world);
            if objects.capacity() < objects.len().saturating_add(n) {
                // Whoever grows moves all columns.
                objects.fetch_all()?;
            }
            // SAFETY: the constructor's kernel initialises them all before any other runs or the host fetches them; if
            // it does not start, they are taken away below.
            let first = unsafe { objects.add(n) }?;
            let class = <K::Class as Class>::ID;
            let changes = Changes { class, writes: FieldSet::ALL, snapshot: FieldSet::EMPTY };
            let result = start::<K, A, Self>(
                world,
                session,
                Job { kernel: <K::Class as Class>::NAME, changes, threads: THREADS, shared_bytes: 0, together: false },
                first,
                first + n,
                None,
                args,
            );
            let objects = Holds::<K::Class>::objects_mut(world);
            if let Err(error) = result {
                // SAFETY: they were just added.
                unsafe { objects.truncate(first) };
                return Err(error);
            }
            Ok(objects.links_from(first))
        })
    }

    /// Waits until everything started so far is done.
    fn cuda_synchronize(&mut self) -> Result<(), Error> {
        with(self, |_, session| Ok(session.queue.synchronize()?))
    }

    /// Records the kernels that `sequence` starts, without running them, to be run by
    /// [`cuda_replay`](Self::cuda_replay) with the arguments that they are given here: for simulations
    /// whose steps are many small kernels.
    ///
    /// ```no_run
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Body { pub pos: f32, pub vel: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body {
    /// #     #[kernel] pub fn kick(&mut self, dt: f32) { self.vel -= dt * self.pos; }
    /// #     #[kernel] pub fn drift(&mut self, dt: f32) { self.pos += dt * self.vel; }
    /// # }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// let step = sim.cuda_record(|sim| {
    ///     sim.cuda_execute(Body::kick, 0.01)?;
    ///     sim.cuda_execute(Body::drift, 0.01)
    /// })?;
    /// for _ in 0..1000 {
    ///     sim.cuda_replay(&step)?;
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of `sequence`, which must start kernels only: no reductions, and no access to columns on the
    /// host. [`GpuError::NotRecordable`] if it did something else, or put another world in this one's place. In either
    /// case, or if `sequence` panics, nothing is recorded and the world can be used further.
    fn cuda_record(&mut self, sequence: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<Recording, Error> {
        let queue = with(self, |world, session| {
            session.queue.refuse_in_recording("another recording")?;
            session.prepare(world.members_mut().as_mut(), None)?;
            session.queue.synchronize()?;
            Ok(session.queue.clone())
        })?;
        let (graph, trace) = queue.record(|| sequence(self))?;
        // The closure may have put another world here.
        let tables = take(self).and_then(|session| {
            let tables = Arc::ptr_eq(&session.queue, &queue).then(|| session.tables());
            put(self, session);
            tables
        });
        let Some(tables) = tables else {
            return Err(
                GpuError::NotRecordable { what: String::from("putting another world in this one's place") }.into()
            );
        };
        Ok(Recording { graph, trace, tables, queue })
    }

    /// Runs recorded kernels.
    ///
    /// # Errors
    ///
    /// [`GpuError::StaleRecording`] if the recording was made in another world, or before this one was opened on another
    /// device; if objects were added since, arrays have other lengths, or columns were exchanged, by `mem::swap` or
    /// by a kernel with `snapshot` that is not in the recording. Nothing is run then.
    fn cuda_replay(&mut self, recording: &Recording) -> Result<(), Error> {
        with(self, |world, session| {
            session.queue.refuse_in_recording("replaying another one")?;
            if !Arc::ptr_eq(&session.queue, &recording.queue) {
                let reason = String::from("it was made in another world, or before this one was opened anew");
                return Err(GpuError::StaleRecording { reason }.into());
            }
            session.prepare(world.members_mut().as_mut(), None)?;
            if let Some(reason) = session.changed_since(&recording.tables) {
                return Err(GpuError::StaleRecording { reason }.into());
            }
            // SAFETY: recorded on this queue, whose module is loaded. The launches are for the columns, numbers of
            // objects and lengths of arrays that the tables said then, and say now; columns with the same number are
            // the same memory, which the world has.
            unsafe { session.queue.stream.replay(&recording.graph) }.map_err(|error| session.queue.blame(error))?;
            session.queue.replayed(&recording.trace.kernels);
            for objects in world.members_mut().as_mut() {
                for &(class, fields) in &recording.trace.changes {
                    if class == objects.class() {
                        // SAFETY: `prepare` copied all objects to the columns, in which the kernels change these.
                        unsafe { objects.changed_on_device(fields) };
                    }
                }
            }
            Ok(())
        })
    }

    /// The time that the device takes for what `work` starts.
    ///
    /// # Errors
    ///
    /// Those of `work`.
    fn cuda_time(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<Duration, Error> {
        let start = with(self, |world, session| {
            session.queue.refuse_in_recording("taking the time")?;
            session.prepare(world.members_mut().as_mut(), None)?;
            Ok(session.queue.stream.mark()?)
        })?;
        work(self)?;
        with(self, |_, session| {
            let end = session.queue.stream.mark()?;
            Ok(start.until(&end).map_err(|error| session.queue.blame(error))?)
        })
    }

    /// Starts or stops to time each kernel on the device, at the cost of two marks a launch.
    fn cuda_time_kernels(&mut self, timed: bool) -> Result<(), Error> {
        with(self, |_, session| {
            session.queue.set_timed(timed);
            Ok(())
        })
    }

    /// What the world did on the device so far; nothing before the first launch.
    fn device_stats(&mut self) -> DeviceStats {
        let Some(session) = take(self) else { return DeviceStats::default() };
        let mut members = self.members_mut();
        let columns = members.as_mut().iter_mut().filter_map(|objects| Columns::known(&mut **objects));
        let bytes = columns.map(|columns| columns.bytes()).sum();
        drop(members);
        let stats = DeviceStats::of(session.queue.counters(), bytes);
        put(self, session);
        stats
    }
}

impl<W: World> CudaWorld for W {}

fn take<W: World>(world: &mut W) -> Option<Box<Session>> {
    // SAFETY: only sessions of this crate are in that place, and they are made for `W`.
    unsafe { world.state_mut().device() }.take()?.downcast().ok()
}

fn put<W: World>(world: &mut W, session: impl Into<Box<Session>>) {
    let session: Box<Session> = session.into();
    // SAFETY: as in `take`.
    *unsafe { world.state_mut().device() } = Some(session);
}

/// Opens a world in a context, unless it is there.
pub(crate) fn open<W: World>(
    world: &mut W,
    is_there: impl FnOnce(&Context) -> bool,
    context: impl FnOnce() -> Result<Context, GpuError>,
) -> Result<DeviceInfo, Error> {
    if let Some(session) = take(world) {
        let is_there = is_there(&session.queue.context);
        let left = if is_there { session.queue.check().map_err(Error::from) } else { leave(world, &session) };
        if let Err(error) = &left {
            session.queue.spoil_recording(error);
        }
        if is_there || left.is_err() {
            let info = session.device().clone();
            put(world, session);
            return left.map(|()| info);
        }
    }
    let code = W::device_code().ok_or(GpuError::NoDeviceCode { world: std::any::type_name::<W>() })?;
    let session = Session::new(context, code, world.members_mut().as_mut())?;
    let info = session.device().clone();
    put(world, session);
    Ok(info)
}

/// Gets ready to leave a session for another: what it changed is fetched.
fn leave<W: World>(world: &mut W, session: &Session) -> Result<(), Error> {
    session.queue.check()?;
    session.queue.refuse_in_recording("opening another device")?;
    let mut members = world.members_mut();
    for objects in members.as_mut() {
        objects.fetch_all()?;
    }
    for objects in members.as_mut() {
        // SAFETY: all that the device changed was fetched.
        unsafe { objects.lose_device() };
    }
    Ok(())
}

/// Calls `work` with the world's session, which is opened if there is none.
pub(crate) fn with<W: World, T>(
    world: &mut W,
    work: impl FnOnce(&mut W, &mut Session) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut session = match take(world) {
        Some(session) => session,
        None => {
            world.cuda_open(0)?;
            match take(world) {
                Some(session) => session,
                None => return Err(GpuError::NoDeviceCode { world: std::any::type_name::<W>() }.into()),
            }
        }
    };
    let result = session.queue.check().map_err(Error::from).and_then(|()| work(world, &mut session));
    let result = result.map_err(|error| session.queue.blame_any(error));
    if let Err(error) = &result {
        session.queue.spoil_recording(error);
    }
    put(world, session);
    result
}

/// Where a kernel's arguments are, most often few enough to need no allocation.
enum Arguments {
    Few([*const (); 16], usize),
    Many(Vec<*const ()>),
}

impl Arguments {
    /// Those of no bytes are left out: the device's compiler makes no parameters of them.
    fn new(own: &[*const ()], arguments: &[Argument<'_>]) -> Self {
        let taken = arguments.iter().filter(|argument| argument.bytes() > 0);
        let len = own.len() + taken.clone().count();
        let all = own.iter().copied().chain(taken.map(|argument| argument.start()));
        let mut few = [std::ptr::null(); 16];
        if len > few.len() {
            return Self::Many(all.collect());
        }
        for (place, argument) in few.iter_mut().zip(all) {
            *place = argument;
        }
        Self::Few(few, len)
    }

    fn as_slice(&self) -> &[*const ()] {
        match self {
            Self::Few(few, len) => &few[..*len],
            Self::Many(many) => many,
        }
    }
}

/// How to start a kernel.
struct Job {
    kernel: &'static str,
    changes: Changes,
    threads: u32,
    shared_bytes: u32,
    /// The threads of a block work together: all are there, and each has one object at most.
    together: bool,
}

fn job_of<K: Kernel>() -> Job {
    let effects = K::EFFECTS;
    let changes = Changes { class: effects.class, writes: effects.writes, snapshot: effects.shadowed() };
    Job { kernel: effects.kernel, changes, threads: threads_of::<K>(), shared_bytes: 0, together: false }
}

fn threads_of<K: Kernel>() -> u32 {
    if const { K::EFFECTS.is_heavy } { HEAVY_THREADS } else { THREADS }
}

/// Starts a kernel for objects `first..end`, or for those in the list.
fn launch<K, A, W>(world: &mut W, first: usize, end: usize, list: Option<&[u32]>, args: A) -> Result<(), Error>
where
    K: Kernel + OnDevice<A>,
    A: Copy,
    W: World,
{
    with(world, |world, session| start::<K, A, W>(world, session, job_of::<K>(), first, end, list, args))
}

fn start<K, A, W>(
    world: &mut W,
    session: &mut Session,
    job: Job,
    first: usize,
    end: usize,
    list: Option<&[u32]>,
    args: A,
) -> Result<(), Error>
where
    K: OnDevice<A>,
    A: Copy,
    W: World,
{
    let Job { kernel, changes, threads, shared_bytes, together } = job;
    session.prepare(world.members_mut().as_mut(), Some(changes))?;
    if first == end {
        return Ok(());
    }
    let list_address = match list {
        None => 0,
        Some(list) => {
            session.queue.refuse_in_recording("a kernel for a list of links")?;
            let address = session.scratch(0, size_of_val(list))?;
            // SAFETY: there is room for the list.
            unsafe { session.queue.stream.upload(address, list.as_ptr().cast(), size_of_val(list)) }?;
            address
        }
    };
    let blocks = u32::try_from((end - first).div_ceil(threads as usize)).unwrap_or(u32::MAX);
    // A thread takes several objects where there are almost as many as ids: the number of threads is 32 bits wide.
    let blocks = if together { blocks } else { blocks.min(u32::MAX / threads) };
    // Few objects need no whole block.
    let threads = if blocks == 1 && !together { (end - first).next_multiple_of(32) as u32 } else { threads };
    let grid = Grid { blocks, threads, shared_bytes };
    let (first_u32, end_u32) = (first as u32, end as u32);
    let arguments = K::arguments(&args);
    let arguments = arguments.as_ref();
    let function = session.function(K::ENTRY, Kind::Call, CALL, arguments)?;
    let own = [(&raw const first_u32).cast(), (&raw const end_u32).cast(), (&raw const list_address).cast()];
    let all = Arguments::new(&own, arguments);
    // SAFETY: the entry takes two `u32`, a pointer and the kernel's arguments, as `function` has compared. The objects
    // exist, each once; their columns are on the device, and in this stream no other kernel runs at the same time.
    unsafe { session.launch(kernel, &function, grid, all.as_slice()) }?;
    session.commit(world.members_mut().as_mut(), changes, first, end, list)
}

/// Combines the results for objects `first..end`, or for those in the list.
fn reduce<K, A, R, W>(
    world: &mut W,
    first: usize,
    end: usize,
    list: Option<&[u32]>,
    args: A,
    reducer: R,
) -> Result<K::Output, Error>
where
    K: Call<A, Output: Transfer> + ReducedBy<R> + OnDevice<A>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
    W: World,
{
    const {
        assert!(size_of::<R>() == 0, "a reducer with state runs on the host only");
        assert!(
            part_accumulators::<K::Output>() == part_accumulators::<WireOf<K, A>>(),
            "a reduction would not have the same order on the GPU: put the tuple's members in the order of their sizes, the largest first, or return a struct under `#[derive(Clone, Copy, Value)] #[repr(C)]`"
        );
    }
    if first == end {
        return Ok(reducer.identity());
    }
    let wire = with(world, |world, session| reduce_on_device::<K, A, R, W>(world, session, first, end, list, args))?;
    Ok(K::Output::unpack(wire))
}

/// As what the results of a kernel travel.
type WireOf<K, A> = <<K as Call<A>>::Output as Transfer>::Wire;

fn reduce_on_device<K, A, R, W>(
    world: &mut W,
    session: &mut Session,
    first: usize,
    end: usize,
    list: Option<&[u32]>,
    args: A,
) -> Result<WireOf<K, A>, Error>
where
    K: Call<A, Output: Transfer> + ReducedBy<R> + OnDevice<A>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
    W: World,
{
    session.queue.refuse_in_recording("a reduction, which waits for its result,")?;
    let job = job_of::<K>();
    session.prepare(world.members_mut().as_mut(), Some(job.changes))?;
    let count = end - first;
    let size = size_of::<WireOf<K, A>>().max(1);
    // Whole warps: a thread an accumulator.
    let threads = (SHARED_BYTES / size / ACCUMULATORS * ACCUMULATORS).clamp(ACCUMULATORS, job.threads as usize);
    let chunks = count.div_ceil(part_len(count, const { K::EFFECTS.is_heavy }));
    // A block or a warp a chunk, but of blocks no more than run at the same time: each has to say that it is done.
    let most = session.device().multiprocessors as usize * THREADS_OF_MULTIPROCESSOR / threads;
    let blocks =
        if const { K::EFFECTS.is_heavy } { chunks.min(most) } else { (chunks * ACCUMULATORS).div_ceil(threads) };
    let grid = Grid {
        blocks: blocks as u32,
        threads: threads as u32,
        shared_bytes: (threads.max(part_accumulators::<WireOf<K, A>>()) * size) as u32,
    };
    // The kernel writes the result to host memory, where there is room: no copy is needed.
    let queue = session.queue.clone();
    let inbox = queue.inbox();
    let in_inbox = size <= inbox.len();
    let result = if in_inbox { inbox.start().addr() as u64 } else { session.scratch(1, size)? };
    let parts = session.scratch(0, chunks * size)?;
    let list_address = match list {
        None => 0,
        Some(list) => {
            let address = session.scratch(2, size_of_val(list))?;
            // SAFETY: there is room for the list.
            unsafe { session.queue.stream.upload(address, list.as_ptr().cast(), size_of_val(list)) }?;
            address
        }
    };
    let done = session.blocks_done()?;
    let (first_u32, end_u32) = (first as u32, end as u32);
    let arguments = K::arguments(&args);
    let arguments = arguments.as_ref();
    let own = &[4, 4, 8, 8, 8, 8];
    let shape = Shape { own, result: (size_of::<WireOf<K, A>>(), align_of::<WireOf<K, A>>()) };
    let function = session.function(K::ENTRY, Kind::Reduce(K::NUMBER), shape, arguments)?;
    let own = [
        (&raw const first_u32).cast(),
        (&raw const end_u32).cast(),
        (&raw const list_address).cast(),
        (&raw const parts).cast(),
        (&raw const result).cast(),
        (&raw const done).cast(),
    ];
    let all = Arguments::new(&own, arguments);
    // SAFETY: the entry takes two `u32`, four pointers and the kernel's arguments, as `function` has compared; there is
    // room for the results, the number of blocks is 0, as it was made and as each kernel of this stream leaves it, there
    // are as many threads as are asked for; and as in `start`.
    unsafe { session.launch(job.kernel, &function, grid, all.as_slice()) }?;
    session.commit(world.members_mut().as_mut(), job.changes, first, end, list)?;
    session.queue.count_down(size_of::<WireOf<K, A>>());
    if in_inbox {
        session.queue.synchronize()?;
        // SAFETY: the kernel, which is done, wrote a value of this type there, which has the same bytes on host and
        // device; the start of a page is aligned for it.
        return Ok(unsafe { inbox.start().cast::<WireOf<K, A>>().read() });
    }
    let mut value = MaybeUninit::<WireOf<K, A>>::uninit();
    // SAFETY: there is one result, and room for it until the stream is synchronised below.
    unsafe { session.queue.stream.download(value.as_mut_ptr().cast(), result, size_of::<WireOf<K, A>>()) }
        .map_err(|error| session.queue.blame(error))?;
    session.queue.synchronize()?;
    // SAFETY: the kernel wrote a value of this type, which has the same bytes on host and device.
    Ok(unsafe { value.assume_init() })
}
