//! The kernels that executors accept, by verb and place: on the host, or at every place.

use super::AnyKernel;
use crate::error::Error;
use crate::exec::Part;
use crate::kernel::OnDevice;
use crate::transfer::Transfer;
use crate::world::Ready;

/// A kernel that runs on the host with arguments `A`, of one class or of a trait.
/// [`World::execute`](crate::world::World::execute) accepts it.
///
/// ```
/// use ikra::{bounds::Execute, World, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_methods] impl Car { #[kernel] pub fn drive(&mut self, km: u32) { self.km += km; } }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
///
/// fn twice<W: World, A: Copy>(world: &mut W, kernel: impl Execute<W, A>, args: A) {
///     world.execute(kernel, args);
///     world.execute(kernel, args);
/// }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// let car = town.cars.push(Car { km: 0 })?;
/// twice(&mut town, Car::drive, 5);
/// assert_eq!(town.get(car).km(), 10);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not run in world `{W}` by this executor with arguments `{A}`",
    label = "wrong arguments for this kernel, or the wrong executor or world",
    note = "give one argument by itself, several as a tuple, none as `()`; `Link<X>` where the method takes `Ref<X>`",
    note = "`#[kernel(pairs)]` methods run by `execute_pairs`, constructors by `construct`, all others by `execute`",
    note = "a kernel of a trait runs in worlds that hold all classes of the trait",
    note = "a kernel is a method under `#[kernel]`, given by its name, `Class::method`, and no closure"
)]
///
/// # Safety
///
/// Each entry point of an [`OnDevice`] kernel calls it for one object. `run` calls it once per object of the part.
pub unsafe trait Execute<W, A>: AnyKernel {
    /// Calls it for some objects.
    #[doc(hidden)]
    fn run(world: Ready<'_, W>, part: Part<'_>, args: A) -> Result<(), Error>;
}

/// A kernel that runs on the host with arguments `A`, and whose results reducer `R` combines.
/// [`World::execute_and_reduce`](crate::world::World::execute_and_reduce) accepts it.
///
/// ```
/// use ikra::{bounds::Reduce, World, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_methods] impl Car { #[kernel(reduce(Sum))] pub fn driven(&self) -> u32 { self.km } }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
///
/// fn total<W: World>(world: &mut W, kernel: impl Reduce<W, (), Sum, Output = u32>) -> u32 {
///     world.execute_and_reduce(kernel, (), Sum)
/// }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// town.cars.extend([3, 4].map(|km| Car { km }))?;
/// assert_eq!(total(&mut town, Car::driven), 7);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not run in world `{W}` by this executor with arguments `{A}` and this reducer",
    label = "not a reduction by this reducer, or wrong arguments for it, or the wrong world",
    note = "a kernel that is a reduction names its reducers: `#[kernel(reduce(Sum))]`",
    note = "give one argument by itself, several as a tuple, none as `()`; `Link<X>` where the method takes `Ref<X>`",
    note = "a kernel of a trait runs in worlds that hold all classes of the trait"
)]
///
/// # Safety
///
/// 1. If the kernel is [`OnDevice`], each of its entry points calls it for one object.
/// 2. `number(n)` is the number of `R` among the reducers of the kernel of class number `n`.
/// 3. `reduce` calls it once for each object of the part.
pub unsafe trait Reduce<W, A, R>: AnyKernel {
    /// The type that the kernel returns.
    type Output;
    /// Calls it for some objects, and combines the results.
    #[doc(hidden)]
    fn reduce(world: Ready<'_, W>, part: Part<'_>, args: A, reducer: R) -> Result<Self::Output, Error>;
    /// Combines the result of one class with the combined result of the classes after it, if there are any.
    #[doc(hidden)]
    fn combine(own: Self::Output, others: Option<Self::Output>, reducer: R) -> Self::Output;
    /// The result of a reduction without objects.
    #[doc(hidden)]
    fn identity(reducer: R) -> Self::Output;
    /// The reducer's number among those of a class's kernel.
    #[doc(hidden)]
    fn number(class: usize) -> usize;
}

/// A kernel that runs on the host with arguments `A`, and whose results can be put into a list.
/// [`World::execute_and_collect`](crate::world::World::execute_and_collect) accepts it.
///
/// ```
/// use ikra::{bounds::Collect, World, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_methods] impl Car { #[kernel] pub fn driven(&self) -> u32 { self.km } }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
///
/// fn furthest<W: World, T: Ord>(world: &mut W, kernel: impl Collect<W, (), Output = T>) -> Option<T> {
///     world.execute_and_collect(kernel, ()).into_iter().max()
/// }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// town.cars.extend([3, 4].map(|km| Car { km }))?;
/// assert_eq!(furthest(&mut town, Car::driven), Some(4));
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "the results of `{Self}` cannot be collected in world `{W}` with arguments `{A}`",
    label = "wrong arguments for this kernel, or the wrong executor or world",
    note = "give one argument by itself, several as a tuple, none as `()`; `Link<X>` where the method takes `Ref<X>`",
    note = "a kernel of a trait runs in worlds that hold all classes of the trait"
)]
///
/// # Safety
///
/// Each entry point of an [`OnDevice`] kernel calls it for one object. `collect` calls it once per object of the part.
pub unsafe trait Collect<W, A>: AnyKernel {
    /// The type that the kernel returns.
    type Output;
    /// Calls it for some objects, and returns the results class by class, in the order of the objects' ids.
    #[doc(hidden)]
    fn collect(world: Ready<'_, W>, part: Part<'_>, args: A) -> Result<Vec<Self::Output>, Error>;
}

/// A kernel that runs at every place with arguments `A`. [`On::execute`](crate::executor::On::execute) accepts it.
///
/// ```
/// use ikra::{bounds::ExecuteOn, Place, World, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_methods] impl Car { #[kernel] pub fn drive(&mut self, km: u32) { self.km += km; } }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
///
/// fn twice<W: World, K: ExecuteOn<W, u32>>(world: &mut W, place: Place, kernel: K) -> Result<(), ikra::Error> {
///     world.on(place).execute(kernel, 5)?;
///     world.on(place).execute(kernel, 5)
/// }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// let car = town.cars.push(Car { km: 0 })?;
/// twice(&mut town, Place::Host, Car::drive)?;
/// assert_eq!(town.get(car).km(), 10);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not run at every place with arguments `{A}`",
    label = "wrong arguments for this kernel, or it runs on the host only",
    note = "at every place, a kernel has no type parameters and takes values only: no references, no closures, no tuples",
    note = "the short forms, as `sim.execute(…)`, run it on the host, whatever it takes"
)]
pub trait ExecuteOn<W, A>: Execute<W, A> + OnDevice<A> {}
impl<K: Execute<W, A> + OnDevice<A>, W, A> ExecuteOn<W, A> for K {}

/// A kernel that runs at every place with arguments `A`, and whose results reducer `R` combines.
/// [`On::execute_and_reduce`](crate::executor::On::execute_and_reduce) accepts it.
///
/// ```
/// use ikra::{Place, bounds::ReduceOn, World, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_methods] impl Car { #[kernel(reduce(Sum))] pub fn driven(&self) -> u32 { self.km } }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
///
/// fn total<W: World, K: ReduceOn<W, (), Sum, Output = u32>>(world: &mut W, place: Place, kernel: K) -> Result<u32, ikra::Error> {
///     world.on(place).execute_and_reduce(kernel, (), Sum)
/// }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// town.cars.extend([3, 4].map(|km| Car { km }))?;
/// assert_eq!(total(&mut town, Place::Host, Car::driven)?, 7);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not run at every place with arguments `{A}` and this reducer",
    label = "not a reduction by this reducer, or wrong arguments for it, or it runs on the host only",
    note = "a kernel that is a reduction names its reducers: `#[kernel(reduce(Sum))]`",
    note = "at every place, a kernel has no type parameters and takes values only: no references, no closures, no tuples",
    note = "the short forms, as `sim.execute(…)`, run it on the host, whatever it takes"
)]
pub trait ReduceOn<W, A, R>: Reduce<W, A, R, Output: Transfer> + OnDevice<A> {}
impl<K: Reduce<W, A, R, Output: Transfer> + OnDevice<A>, W, A, R> ReduceOn<W, A, R> for K {}

/// A kernel that runs at every place with arguments `A`, and whose results can be put into a list.
/// [`On::execute_and_collect`](crate::executor::On::execute_and_collect) accepts it.
///
/// ```
/// use ikra::{bounds::CollectOn, Place, World, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_methods] impl Car { #[kernel] pub fn driven(&self) -> u32 { self.km } }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
///
/// fn first<W: World, K: CollectOn<W, (), Output = u32>>(world: &mut W, place: Place, kernel: K) -> Result<u32, ikra::Error> {
///     Ok(world.on(place).execute_and_collect(kernel, ())?[0])
/// }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// town.cars.extend([3, 4].map(|km| Car { km }))?;
/// assert_eq!(first(&mut town, Place::Host, Car::driven)?, 3);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "the results of `{Self}` cannot be collected at every place with arguments `{A}`",
    label = "wrong arguments for this kernel, or it runs on the host only",
    note = "at every place, a kernel has no type parameters and takes values only: no references, no closures, no tuples",
    note = "the short forms, as `sim.execute_and_collect(…)`, run it on the host, whatever it takes"
)]
pub trait CollectOn<W, A>: Collect<W, A, Output: Transfer> + OnDevice<A> {}
impl<K: Collect<W, A, Output: Transfer> + OnDevice<A>, W, A> CollectOn<W, A> for K {}
