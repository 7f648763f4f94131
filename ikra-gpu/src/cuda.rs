//! The operations that a world has on CUDA devices only.

use std::time::Duration;

use ikra_core::kernel::OnDevice;
use ikra_runtime::error::Error;
#[cfg(doc)]
use ikra_runtime::error::GpuError;
use ikra_runtime::place::Place;
use ikra_runtime::world::World;

use crate::code::Codes;
use crate::device_columns::DeviceColumns;
use crate::driver::DeviceInfo;
use crate::executor::{take, used_last, with};
use crate::loops::LoopReport;
use crate::losses::{self, LostColumn};
use crate::stats::DeviceStats;
use crate::tables;
use crate::versions::Specialized;

/// The operations that a world has on an NVIDIA GPU only; [`CudaWorld::cuda`](crate::CudaWorld::cuda) returns them.
///
/// | | |
/// | --- | --- |
/// | [`open`](Self::open), [`open_in`](Self::open_in) | chooses the GPU, or another library's context |
/// | [`check`](Self::check) | compares the device code with the program, without a GPU |
/// | [`time`](Self::time), [`time_kernels`](Self::time_kernels), [`stats`](Self::stats) | measures |
/// | [`lend`](Self::lend) | lends columns to another library |
/// | [`accept_loss`](Self::accept_loss) | continues after a kernel has failed |
///
/// They work on the GPU that the world used last, or on the first GPU. To run kernels, call
/// [`sim.on(Place::Gpu(0))`](ikra_runtime::executor::On) or the short forms of [`CudaWorld`](crate::CudaWorld).
///
/// ```no_run
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Body { pub pos: f32, pub vel: f32 }
/// #[soa_methods]
/// impl Body {
///     #[kernel]
///     pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; }
/// }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// sim.bodies.extend((0..1000).map(|n| Body { pos: n as f32, vel: 1.0 }))?;
/// sim.cuda().open(1)?;
/// let time = sim.cuda().time(|sim| sim.cuda_execute(Body::advance, 0.01))?;
/// println!("{time:?}, {:?}", sim.cuda().stats());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Cuda<'w, W> {
    pub(crate) world: &'w mut W,
}

impl<W: World> Cuda<'_, W> {
    /// Opens a GPU for the world, by its number within `CUDA_VISIBLE_DEVICES`. `cuda_execute` and the functions of this
    /// handle then work on that GPU.
    ///
    /// Without this call, the first kernel opens its GPU. A world can be on several GPUs: before a kernel runs on one,
    /// the changes from the others are copied to it.
    ///
    /// ```no_run
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// let gpu = Sim::new().cuda().open(0)?;
    /// println!("on {}", gpu.name);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [executors](ikra_runtime::executor::On#errors). [`GpuError::DeviceLost`] after a kernel has failed: call
    /// [`accept_loss`](Self::accept_loss) first.
    pub fn open(&mut self, device: usize) -> Result<DeviceInfo, Error> {
        if used_last(self.world).is_some_and(|place| place != Place::Gpu(device)) {
            with(self.world, |_, device| device.log.refuse_in_recording("opening another device"))?;
        }
        self.world.on(Place::Gpu(device)).open()?;
        with(self.world, |_, device| Ok(device.device().clone()))
    }

    /// Checks that the device code contains a kernel (a class's or a trait's) and matches the program. The definitions
    /// of the kernel, its arguments and the world's classes must be the same. A launch makes the same check. It needs
    /// no GPU and is meant for tests.
    ///
    /// ```no_run
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += dt; } }
    /// #[test]
    /// fn the_device_code_fits() {
    ///     Sim::new().cuda().check(Body::advance, 0.01).unwrap();
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`GpuError::NoDeviceCode`], [`GpuError::NoSuchKernel`], [`GpuError::DeviceCodeDiffers`].
    pub fn check<K, A>(&mut self, _kernel: K, args: A) -> Result<(), Error>
    where
        K: OnDevice<A>,
    {
        let (codes, arguments) = (Codes::of::<W>()?, K::arguments(&args));
        Ok(tables::check(&codes, K::ENTRY, K::SECTIONS, arguments.as_ref(), self.world.members_mut().as_mut())?)
    }

    /// Lets the world continue after a kernel has failed. Fields that were current only on the failed device return to
    /// their host values: earlier ones, or some that arrived before an error. Returns these columns; until this call they
    /// cannot be read.
    ///
    /// Does nothing if no kernel is known to have failed. The next launch opens the device again if the driver allows
    /// that; see [`On`](ikra_runtime::executor::On#when-a-kernel-fails).
    ///
    /// ```no_run
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += dt; } }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// sim.cuda_execute(Body::advance, 0.01)?;
    /// if let Err(error) = sim.on(Place::Gpu(0)).synchronize() {
    ///     let lost = sim.cuda().accept_loss();
    ///     eprintln!("{error}: {} columns return to their earlier values", lost.len());
    ///     sim.execute(Body::advance, 0.01);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn accept_loss(&mut self) -> Vec<LostColumn> {
        let lost = losses::accept(self.world.members_mut().as_mut());
        self.world.state_mut().executors().retain(|executor| executor.worker().is_ok());
        lost
    }

    /// Measures the device time of the work that `work` starts.
    ///
    /// ```no_run
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += dt; } }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut sim = Sim::new();
    /// let time = sim.cuda().time(|sim| (0..100).try_for_each(|_| sim.cuda_execute(Body::advance, 0.01)))?;
    /// println!("{:?} per step", time / 100);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of `work`.
    pub fn time(&mut self, work: impl FnOnce(&mut W) -> Result<(), Error>) -> Result<Duration, Error> {
        let start = with(self.world, |world, device| {
            device.log.refuse_in_recording("taking the time")?;
            device.prepare(world.members_mut().as_mut(), &[])?;
            Ok(device.log.stream.mark()?)
        })?;
        work(self.world)?;
        with(self.world, |_, device| Ok(start.until(&device.log.stream.mark()?)?))
    }

    /// Turns the timing of each kernel on the device on or off. It costs two events per launch. [`stats`](Self::stats)
    /// returns the times.
    ///
    /// # Errors
    ///
    /// As for [executors](ikra_runtime::executor::On#errors).
    pub fn time_kernels(&mut self, timed: bool) -> Result<(), Error> {
        with(self.world, |_, device| {
            device.log.set_timed(timed);
            Ok(())
        })
    }

    /// Waits for kernels that are being compiled for the values of objects, and says for each what has changed; see
    /// [`On::specialize_for`](ikra_runtime::executor::On::specialize_for).
    ///
    /// ```no_run
    /// # use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Rule { pub least: u32, pub most: u32 }
    /// # #[soa_class] pub struct Cell { pub alive: bool, pub neighbours: u32 }
    /// # #[soa_methods]
    /// # impl Cell {
    /// #     #[kernel] pub fn live(&mut self, rule: Ref<Rule>) {
    /// #         self.alive = (rule.least()..=rule.most()).contains(&self.neighbours);
    /// #     }
    /// # }
    /// # #[soa_world] pub struct Life { pub cells: Objects<Cell>, pub rules: Objects<Rule> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// # let mut life = Life::new();
    /// # let rule = life.rules.push(Rule { least: 2, most: 3 })?;
    /// life.on(Place::Gpu(0)).specialize_for::<Rule>()?;
    /// life.cuda_execute(Cell::live, rule)?;
    /// for kernel in life.cuda().specialized()? {
    ///     println!("{kernel}");
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [executors](ikra_runtime::executor::On#errors).
    pub fn specialized(&mut self) -> Result<Vec<Specialized>, Error> {
        with(self.world, |_, device| Ok(device.specialized()))
    }

    /// Waits for loops that are being compiled, and says for each sequence of kernels that was repeated how it ran the last
    /// time: see [`On::repeat_while`](ikra_runtime::executor::On::repeat_while).
    ///
    /// | form | when |
    /// | --- | --- |
    /// | one kernel, which stays on the device | the device can run all blocks of a kernel together, without a limit of time; no values of snapshots are copied; the sequence has run for 0.3 s before, or once with at most 0, and is compiled; as a graph, an iteration takes less than 10 µs per launch, or more than as one kernel; no launch has more than two million threads |
    /// | a graph | a field ends the loop, columns are exchanged an even number of times in an iteration, and the driver is that of CUDA 12.4 or newer |
    /// | the host starts each iteration | otherwise |
    ///
    /// The variable `IKRA_LOOPS` forces one of them, as far as it is possible: `resident` (at once, and for any number of
    /// threads), `resident:8x256` (with 8 blocks of 256 threads), `graph` or `host`.
    ///
    /// ```no_run
    /// # use ikra::{Place, prelude::*};
    /// # fn f(sim: &mut impl CudaWorld) -> Result<(), ikra::Error> {
    /// for one in sim.cuda().loops()? {
    ///     println!("{one}");   // Node::push, Search::deepen: ran as one kernel of 128 blocks with 1024 threads
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [executors](ikra_runtime::executor::On#errors).
    pub fn loops(&mut self) -> Result<Vec<LoopReport>, Error> {
        with(self.world, |_, device| Ok(device.reported_loops()))
    }

    /// The world's statistics on the GPU that it used last; empty before the first launch.
    pub fn stats(&mut self) -> DeviceStats {
        let Some(device) = used_last(self.world).and_then(|place| take(self.world, place)) else {
            return DeviceStats::default();
        };
        let (mut bytes, stream) = (0, device.log.number());
        for objects in self.world.members_mut().as_mut() {
            bytes += DeviceColumns::known(&mut **objects, stream).map_or(0, |columns| columns.bytes());
        }
        let stats = DeviceStats::of(device.log.counters(), bytes);
        self.world.state_mut().executors().put(device);
        stats
    }
}
