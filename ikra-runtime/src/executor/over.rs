//! The host's executors for a subset of the objects.

use super::at::At;
use super::{Picked, Subset};
use crate::class::Class;
use crate::dispatch::{AnyKernel, Collect, Execute, Reduce, run_pairs};
use crate::kernel::PairCall;
use crate::objects::Objects;
use crate::place::Place;
use crate::world::{Holds, Ready, World, or_panic};

/// A subset of a world's objects, for kernels on the host. [`World::over`] returns it.
///
/// Like all short forms of the host, its executors return the value, and panic where a loop would. For other places, or
/// to handle errors, use `sim.on(place).over(…)`.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Body { pub mass: f32 }
/// #[soa_methods]
/// impl Body {
///     #[kernel(reduce(Sum))]
///     pub fn weight(&self) -> f32 { self.mass }
/// }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut sim = Sim::new();
/// sim.bodies.extend([1.0, 2.0, 4.0, 8.0].map(|mass| Body { mass }))?;
/// assert_eq!(sim.over(1..3).execute_and_reduce(Body::weight, (), Sum), 6.0);
/// assert_eq!(sim.over(2..).execute_and_collect(Body::weight, ()), [4.0, 8.0]);
/// # Ok(()) }
/// ```
///
/// # Panics
///
/// The executors panic if a range ends after the last object or before it starts, as slicing does. They also panic if a
/// list names an object twice, or one that is not in the world, and where the executors of [`World`] do. The kernel is
/// then not called for any object.
#[derive(Debug)]
#[must_use = "it names objects; `execute` and the like run kernels for them"]
pub struct Over<'w, W, O> {
    pub(super) world: &'w mut W,
    pub(super) objects: O,
}

impl<'w, W: World, O> Over<'w, W, O> {
    pub(crate) fn new(world: &'w mut W, objects: O) -> Self {
        Self { world, objects }
    }

    /// Resolves the subset to the objects of a kernel.
    #[track_caller]
    fn pick<K: AnyKernel>(&mut self) -> Picked<K::Link>
    where
        O: Subset<W, K>,
    {
        or_panic(At { world: &mut *self.world, place: Place::Host }.pick::<K>(&self.objects))
    }

    /// [`World::execute`] for this subset.
    #[track_caller]
    pub fn execute<K, A>(&mut self, _kernel: K, args: A)
    where
        K: Execute<W, A>,
        O: Subset<W, K>,
    {
        let picked = self.pick::<K>();
        or_panic(K::run(Ready::of(self.world), picked.part(), args));
    }

    /// [`World::execute_pairs`] for this subset; each of its objects meets all others.
    #[track_caller]
    pub fn execute_pairs<K, A>(&mut self, _kernel: K, args: A)
    where
        K: PairCall<A>,
        A: Copy + Send + Sync,
        W: Holds<K::Class> + Holds<K::Other>,
        O: Subset<W, K>,
    {
        let picked = self.pick::<K>();
        or_panic(run_pairs::<K, A, W>(Ready::of(self.world), picked.part(), args));
    }

    /// [`World::execute_and_reduce`] for this subset. The order is the same as if the class had no other objects.
    #[track_caller]
    pub fn execute_and_reduce<K, A, R, T>(&mut self, _kernel: K, args: A, reducer: R) -> T
    where
        K: Reduce<W, A, R, Output = T>,
        O: Subset<W, K>,
    {
        let picked = self.pick::<K>();
        or_panic(K::reduce(Ready::of(self.world), picked.part(), args, reducer))
    }

    /// [`World::execute_and_collect`] for this subset, in the order of the objects' ids.
    #[track_caller]
    pub fn execute_and_collect<K, A, T>(&mut self, kernel: K, args: A) -> Vec<T>
    where
        K: Collect<W, A, Output = T>,
        O: Subset<W, K>,
    {
        self.collect(kernel, args).0
    }

    /// The results of a kernel for this subset, and the subset.
    #[track_caller]
    pub(super) fn collect<K, A, T>(&mut self, _kernel: K, args: A) -> (Vec<T>, Picked<K::Link>)
    where
        K: Collect<W, A, Output = T>,
        O: Subset<W, K>,
    {
        let picked = self.pick::<K>();
        (or_panic(K::collect(Ready::of(self.world), picked.part(), args)), picked)
    }

    /// The objects of a class.
    pub(super) fn objects_of<C: Class>(&mut self) -> &mut Objects<C>
    where
        W: Holds<C>,
    {
        Holds::<C>::objects_mut(self.world)
    }
}
