//! What worlds can do on a GPU beside what they can do everywhere.

use std::ops::RangeBounds;
use std::time::Duration;

use ikra_core::class::Field;
use ikra_core::column::Column;
use ikra_core::kernel::{Call, Construct, Discardable, OnDevice, PairCall, ReducedBy};
use ikra_core::layout::Contiguous;
use ikra_core::reduce::Reducer;
use ikra_core::storage::Plain;
use ikra_core::transfer::Transfer;
use ikra_core::value::Value;
use ikra_runtime::dispatch::{ExecuteOn, ReduceOn};
use ikra_runtime::error::Error;
#[cfg(doc)]
use ikra_runtime::error::GpuError;
use ikra_runtime::executor::Recording;
use ikra_runtime::list::{AsLinkList, LinkList, ListedLink};
use ikra_runtime::objects::Links;
use ikra_runtime::place::Place;
use ikra_runtime::world::{Holds, World};

use crate::code::Codes;
use crate::device_columns::DeviceColumns;
use crate::driver::DeviceInfo;
use crate::executor::{on_gpu, take, used_last, with};
use crate::losses::{self, LostColumn};
use crate::stats::DeviceStats;
use crate::tables;

/// Worlds on an NVIDIA GPU: the executors under short names, and what there is on a GPU only.
///
/// | any place | the GPU that the world used last, or the first |
/// | --- | --- |
/// | `sim.on(place).execute(Body::advance, 0.01)?` | `sim.cuda_execute(Body::advance, 0.01)?` |
///
/// [`On`](ikra_runtime::executor::On) says what executors do, which errors they return, and what happens when a kernel
/// fails.
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
#[allow(clippy::missing_errors_doc, reason = "`On` says which errors its functions return")]
pub trait CudaWorld: World {
    /// Opens a GPU for the world, by its number within `CUDA_VISIBLE_DEVICES`: the functions of this trait then work there.
    ///
    /// Without this, the first kernel opens the place that it is to run at. A world can be on several GPUs; what it changed on
    /// one is copied to another when a kernel runs there.
    ///
    /// # Errors
    ///
    /// As for [executors](ikra_runtime::executor::On#errors). [`GpuError::DeviceLost`] after a kernel has failed:
    /// [`cuda_accept_loss`](Self::cuda_accept_loss) comes first.
    fn cuda_open(&mut self, device: usize) -> Result<DeviceInfo, Error> {
        if used_last(self).is_some_and(|place| place != Place::Gpu(device)) {
            with(self, |_, device| device.log.refuse_in_recording("opening another device"))?;
        }
        self.on(Place::Gpu(device)).open()?;
        with(self, |_, device| Ok(device.device().clone()))
    }

    /// Whether the device code has a kernel, of a class or of a trait, and was compiled with the same idea of it, of its arguments and of the
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
        let (codes, arguments) = (Codes::of::<Self>()?, K::arguments(&args));
        Ok(tables::check(&codes, K::ENTRY, K::SECTIONS, arguments.as_ref(), self.members_mut().as_mut())?)
    }

    /// After a kernel has failed: lets the world go on with the values that the host has from before, and returns the
    /// columns whose last values are lost. Until then they cannot be read.
    ///
    /// Does nothing if no kernel is known to have failed. The next launch opens the device again, where the driver
    /// allows that; see [`On`](ikra_runtime::executor::On#when-a-kernel-fails).
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
    ///     eprintln!("{error}: {} columns return to their earlier values", lost.len());
    ///     sim.execute(Body::advance, 0.01);
    /// }
    /// # Ok(()) }
    /// ```
    fn cuda_accept_loss(&mut self) -> Vec<LostColumn> {
        let lost = losses::accept(self.members_mut().as_mut());
        self.state_mut().executors().retain(|executor| executor.worker().is_ok());
        lost
    }

    /// [`On::execute`](ikra_runtime::executor::On::execute) on a GPU.
    fn cuda_execute<K, A>(&mut self, kernel: K, args: A) -> Result<(), Error>
    where
        K: ExecuteOn<Self, A>,
    {
        on_gpu(self).execute(kernel, args)
    }

    /// [`On::execute_range`](ikra_runtime::executor::On::execute_range) on a GPU.
    ///
    /// # Panics
    ///
    /// If the range ends after the last object or before it starts, as slicing does.
    fn cuda_execute_range<K, A>(&mut self, kernel: K, range: impl RangeBounds<usize>, args: A) -> Result<(), Error>
    where
        K: Call<A, Output: Discardable> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        Self: Holds<K::Class>,
    {
        on_gpu(self).execute_range(kernel, range, args)
    }

    /// [`On::execute_each`](ikra_runtime::executor::On::execute_each) on a GPU.
    fn cuda_execute_each<K, A>(
        &mut self,
        kernel: K,
        links: &(impl AsLinkList<K::Link> + ?Sized),
        args: A,
    ) -> Result<(), Error>
    where
        K: ExecuteOn<Self, A>,
    {
        on_gpu(self).execute_each(kernel, links, args)
    }

    /// [`On::execute_pairs`](ikra_runtime::executor::On::execute_pairs) on a GPU.
    fn cuda_execute_pairs<K, A>(&mut self, kernel: K, args: A) -> Result<(), Error>
    where
        K: PairCall<A> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        Self: Holds<K::Class> + Holds<K::Other>,
    {
        on_gpu(self).execute_pairs(kernel, args)
    }

    /// [`On::execute_and_reduce`](ikra_runtime::executor::On::execute_and_reduce) on a GPU.
    fn cuda_execute_and_reduce<K, A, R, T>(&mut self, kernel: K, args: A, reducer: R) -> Result<T, Error>
    where
        K: ReduceOn<Self, A, R, Output = T>,
    {
        on_gpu(self).execute_and_reduce(kernel, args, reducer)
    }

    /// [`On::execute_range_and_reduce`](ikra_runtime::executor::On::execute_range_and_reduce) on a GPU.
    ///
    /// # Panics
    ///
    /// If the range ends after the last object or before it starts, as slicing does.
    fn cuda_execute_range_and_reduce<K, A, R>(
        &mut self,
        kernel: K,
        range: impl RangeBounds<usize>,
        args: A,
        reducer: R,
    ) -> Result<K::Output, Error>
    where
        K: Call<A, Output: Transfer> + ReducedBy<R> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        R: Reducer<K::Output>,
        Self: Holds<K::Class>,
    {
        on_gpu(self).execute_range_and_reduce(kernel, range, args, reducer)
    }

    /// [`On::execute_each_and_reduce`](ikra_runtime::executor::On::execute_each_and_reduce) on a GPU.
    fn cuda_execute_each_and_reduce<K, A, R, T>(
        &mut self,
        kernel: K,
        links: &(impl AsLinkList<K::Link> + ?Sized),
        args: A,
        reducer: R,
    ) -> Result<T, Error>
    where
        K: ReduceOn<Self, A, R, Output = T>,
    {
        on_gpu(self).execute_each_and_reduce(kernel, links, args, reducer)
    }

    /// [`On::links`](ikra_runtime::executor::On::links) on a GPU.
    fn cuda_links<C, const K: usize, L>(&mut self, column: Column<C, K>) -> Result<LinkList<L>, Error>
    where
        Self: Holds<C>,
        C: Field<K, Storage = Plain<L>>,
        C::Layout: Contiguous,
        L: ListedLink + Value,
    {
        on_gpu(self).links(column)
    }

    /// [`On::construct`](ikra_runtime::executor::On::construct) on a GPU.
    fn cuda_construct<K, A>(&mut self, n: usize, constructor: K, args: A) -> Result<Links<K::Class>, Error>
    where
        K: Construct<A> + OnDevice<A>,
        A: Copy + Send + Sync + 'static,
        Self: Holds<K::Class>,
    {
        on_gpu(self).construct(n, constructor, args)
    }

    /// [`On::synchronize`](ikra_runtime::executor::On::synchronize) on a GPU.
    fn cuda_synchronize(&mut self) -> Result<(), Error> {
        on_gpu(self).synchronize()
    }

    /// [`On::record`](ikra_runtime::executor::On::record) on a GPU, of a sequence that is given the world.
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
    fn cuda_record(&mut self, sequence: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<Recording, Error> {
        on_gpu(self).record(|on| sequence(on.world()))
    }

    /// [`On::replay`](ikra_runtime::executor::On::replay) on a GPU.
    fn cuda_replay(&mut self, recording: &Recording) -> Result<(), Error> {
        on_gpu(self).replay(recording)
    }

    /// The time that the device takes for what `work` starts.
    ///
    /// # Errors
    ///
    /// Those of `work`.
    fn cuda_time(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<Duration, Error> {
        let start = with(self, |world, device| {
            device.log.refuse_in_recording("taking the time")?;
            device.prepare(world.members_mut().as_mut(), &[])?;
            Ok(device.log.stream.mark()?)
        })?;
        work(self)?;
        with(self, |_, device| Ok(start.until(&device.log.stream.mark()?)?))
    }

    /// Starts or stops to time each kernel on the device, at the cost of two marks per launch.
    fn cuda_time_kernels(&mut self, timed: bool) -> Result<(), Error> {
        with(self, |_, device| {
            device.log.set_timed(timed);
            Ok(())
        })
    }

    /// What the world did so far on the GPU that it used last; nothing before the first launch.
    fn device_stats(&mut self) -> DeviceStats {
        let Some(device) = used_last(self).and_then(|place| take(self, place)) else { return DeviceStats::default() };
        let (mut bytes, stream) = (0, device.log.number());
        for objects in self.members_mut().as_mut() {
            bytes += DeviceColumns::known(&mut **objects, stream).map_or(0, |columns| columns.bytes());
        }
        let stats = DeviceStats::of(device.log.counters(), bytes);
        self.state_mut().executors().put(device);
        stats
    }
}

impl<W: World> CudaWorld for W {}
