//! Worlds on a GPU.

use ikra_core::transfer::Transfer;
use ikra_runtime::dispatch::{ExecuteOn, ReduceOn};
use ikra_runtime::error::Error;
use ikra_runtime::world::World;

use crate::cuda::Cuda;
use crate::executor::on_gpu;

/// Worlds on an NVIDIA GPU: short names for the most common executors, and access to the operations of GPUs only.
///
/// | any place | the GPU that the world used last, or the first |
/// | --- | --- |
/// | `sim.on(place).execute(Body::advance, 0.01)?` | `sim.cuda_execute(Body::advance, 0.01)?` |
/// | `sim.on(place).execute_and_reduce(Body::energy, (), Sum)?` | `sim.cuda_execute_and_reduce(Body::energy, (), Sum)?` |
/// | all others: `sim.on(place).over(..10).execute(…)?`, `record`, `synchronize` | as on any place: `sim.on(Place::Gpu(0))` |
/// | | [`sim.cuda()`](Self::cuda): `open`, `check`, `time`, `lend`, `stats`, `accept_loss` |
///
/// [`On`](ikra_runtime::executor::On) documents the executors, their errors, and failing kernels.
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
pub trait CudaWorld: World {
    /// The operations that exist on a GPU only.
    ///
    /// ```no_run
    /// # use ikra::prelude::*;
    /// # #[soa_class] pub struct Body { pub pos: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// println!("on {}", Sim::new().cuda().open(0)?.name);
    /// # Ok(()) }
    /// ```
    fn cuda(&mut self) -> Cuda<'_, Self> {
        Cuda { world: self }
    }

    /// [`On::execute`](ikra_runtime::executor::On::execute) on a GPU.
    ///
    /// # Errors
    ///
    /// As for [executors](ikra_runtime::executor::On#errors).
    fn cuda_execute<K, A>(&mut self, kernel: K, args: A) -> Result<(), Error>
    where
        K: ExecuteOn<Self, A>,
        A: Copy + Send + Sync + 'static,
    {
        on_gpu(self).execute(kernel, args)
    }

    /// [`On::execute_and_reduce`](ikra_runtime::executor::On::execute_and_reduce) on a GPU.
    ///
    /// # Errors
    ///
    /// As for [executors](ikra_runtime::executor::On#errors).
    fn cuda_execute_and_reduce<K, A, R, T>(&mut self, kernel: K, args: A, reducer: R) -> Result<T, Error>
    where
        K: ReduceOn<Self, A, R, Output = T>,
        A: Copy + Send + Sync + 'static,
        R: Copy,
        T: Transfer,
    {
        on_gpu(self).execute_and_reduce(kernel, args, reducer)
    }
}

impl<W: World> CudaWorld for W {}
