//! Kernels of several classes: what executors take for a kernel, a class's or a trait's.
//!
//! A kernel of a trait runs class by class, in the order of the trait's list; on a GPU in one launch, in which each class has
//! blocks of its own, so that no warp diverges. It is one kernel all the same: what one class's objects write in it, those of another do not read (see
//! [`Phase::BESIDE`](ikra_core::phase::Phase::BESIDE)), so that the order of the classes does not show.

mod links;
mod visits;

use std::fmt;
use std::marker::PhantomData;

pub use ikra_core::dispatch::{AnyLink, Referent};
use ikra_core::dispatch::{Dispatch, Then};
pub use ikra_core::kernel::HasKernel;
pub use ikra_core::phase::Sequential;

use crate::error::Error;
use crate::exec;
use crate::executor::{Launch, On};
use crate::kernel::{Call, Discardable, DispatchKernel, Entry, Kernel, OnDevice, ReducedBy};
use crate::link::Link;
use crate::list::{LinkList, ListedLink};
use crate::reduce::Reducer;
use crate::transfer::Transfer;
use crate::world::{Holds, World, ready_for_kernel, try_ready_for_kernel};
pub use links::{DispatchIn, LinkIn, dispatch_in};
use visits::{Fold, FoldOn, Run, Sections, VisitedBy};

/// A kernel of a trait under `#[soa_dispatch]`: `Actor::tick`.
///
/// ```
/// use ikra::prelude::*;
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_class] pub struct Pedestrian { pub steps: u32 }
/// #[soa_dispatch(Car, Pedestrian)]
/// pub trait Actor { #[kernel] fn tick(&mut self); }
/// # #[soa_methods] impl Actor for Car { fn tick(&mut self) { self.km += 1; } }
/// # #[soa_methods] impl Actor for Pedestrian { fn tick(&mut self) { self.steps += 1; } }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car>, pub pedestrians: Objects<Pedestrian> }
///
/// let mut town = Town::new();
/// town.execute(Actor::tick, ()); // for all cars and all pedestrians
/// assert_eq!(format!("{:?}", Actor::tick), "Actor::tick");
/// ```
pub struct EveryClass<D, const METHOD: usize>(PhantomData<fn() -> D>);

impl<D, const METHOD: usize> EveryClass<D, METHOD> {
    /// The handle.
    pub const NEW: Self = Self(PhantomData);
}
impl<D, const METHOD: usize> Copy for EveryClass<D, METHOD> {}
impl<D, const METHOD: usize> Clone for EveryClass<D, METHOD> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<D: DispatchKernel<METHOD>, const METHOD: usize> fmt::Debug for EveryClass<D, METHOD> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(D::NAME)
    }
}

/// The handle of a kernel of a trait.
#[doc(hidden)]
#[macro_export]
macro_rules! __every_class {
    ($(#[$doc:meta])* $vis:vis const $method:ident: $number:literal of $all:ident) => {
        #[automatically_derived]
        #[allow(non_upper_case_globals, dead_code, missing_docs)]
        impl $all {
            $(#[$doc])*
            $vis const $method: $crate::dispatch::EveryClass<$all, $number> = $crate::dispatch::EveryClass::NEW;
        }
    };
}
pub use __every_class as every_class;

/// A kernel, of a class or of a trait.
///
/// Apart from [`Execute`] and [`Reduce`], since it depends on no arguments: where these are wrong, that is the one error.
pub trait Listed: Copy {
    /// What lists of its objects consist of: links of the class, or of the trait.
    type Link: ListedLink;
}

impl<K: Kernel> Listed for K {
    type Link = Link<K::Class>;
}

impl<D: Dispatch, const METHOD: usize> Listed for EveryClass<D, METHOD> {
    type Link = AnyLink<D>;
}

/// A kernel that runs on the host with arguments `A`: one of a class, or of a trait, for each of its classes.
///
/// All that [`World::execute`] takes is one:
///
/// ```
/// use ikra::{Execute, World, prelude::*};
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
    note = "a kernel of a trait runs in worlds that hold all classes of the trait"
)]
pub trait Execute<W, A>: Listed {
    /// For all objects, where nothing can go wrong, or those in a list.
    #[doc(hidden)]
    #[track_caller]
    fn run(world: &mut W, links: Option<&LinkList<Self::Link>>, args: A) -> Result<(), Error>;
}

/// A kernel that runs on the host with arguments `A`, and whose results reducer `R` combines.
///
/// All that [`World::execute_and_reduce`] takes is one:
///
/// ```
/// use ikra::{Reduce, World, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_methods] impl Car {
/// #     #[kernel] pub fn drive(&mut self, km: u32) { self.km += km; }
/// #     #[kernel(reduce(Sum))] pub fn driven(&self) -> u32 { self.km }
/// # }
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
pub trait Reduce<W, A, R>: Listed {
    /// What the kernel returns.
    type Output;
    /// For all objects, where nothing can go wrong, or those in a list.
    #[doc(hidden)]
    #[track_caller]
    fn reduce(world: &mut W, links: Option<&LinkList<Self::Link>>, args: A, reducer: R) -> Result<Self::Output, Error>;
}

/// A kernel that runs at every place with arguments `A`: what [`On::execute`] takes.
///
/// ```
/// use ikra::{ExecuteOn, Place, World, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_methods] impl Car {
/// #     #[kernel] pub fn drive(&mut self, km: u32) { self.km += km; }
/// #     #[kernel(reduce(Sum))] pub fn driven(&self) -> u32 { self.km }
/// # }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
///
/// fn twice<W: World, A: Copy>(world: &mut W, place: Place, kernel: impl ExecuteOn<W, A>, args: A) -> Result<(), ikra::Error> {
///     world.on(place).execute(kernel, args)?;
///     world.on(place).execute(kernel, args)
/// }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// let car = town.cars.push(Car { km: 0 })?;
/// twice(&mut town, Place::Host, Car::drive, 5)?;
/// assert_eq!(town.get(car).km(), 10);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not run at every place with arguments `{A}`",
    label = "wrong arguments for this kernel, or it runs on the host only",
    note = "at every place, a kernel has no type parameters and takes values only: no references, no closures, no tuples",
    note = "the short forms, as `sim.execute(…)`, run it on the host, whatever it takes"
)]
pub trait ExecuteOn<W: World, A>: Execute<W, A> {
    /// For all objects, or those in a list.
    #[doc(hidden)]
    fn run_on(on: &mut On<'_, W>, links: Option<&LinkList<Self::Link>>, args: A) -> Result<(), Error>;
}

/// A kernel that runs at every place with arguments `A`, and whose results reducer `R` combines: what
/// [`On::execute_and_reduce`] takes.
///
/// ```
/// use ikra::{Place, ReduceOn, World, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_methods] impl Car {
/// #     #[kernel] pub fn drive(&mut self, km: u32) { self.km += km; }
/// #     #[kernel(reduce(Sum))] pub fn driven(&self) -> u32 { self.km }
/// # }
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
pub trait ReduceOn<W: World, A, R>: Reduce<W, A, R> {
    /// For all objects, or those in a list.
    #[doc(hidden)]
    fn reduce_on(
        on: &mut On<'_, W>,
        links: Option<&LinkList<Self::Link>>,
        args: A,
        reducer: R,
    ) -> Result<Self::Output, Error>;
}

impl<K, A, W> Execute<W, A> for K
where
    K: Call<A, Output: Discardable>,
    A: Copy + Send + Sync,
    W: Holds<K::Class>,
{
    #[inline]
    fn run(world: &mut W, links: Option<&LinkList<Link<K::Class>>>, args: A) -> Result<(), Error> {
        let objects = ready_for_kernel(world).objects_mut();
        match links {
            None => exec::execute::<K, A>(objects, .., args),
            Some(links) => exec::execute_each::<K, A>(objects, links.order(), 0, args)?,
        }
        Ok(())
    }
}

impl<K, A, W, R> Reduce<W, A, R> for K
where
    K: Call<A, Output: Copy + Send + Sync> + ReducedBy<R>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
    W: Holds<K::Class>,
{
    type Output = K::Output;

    #[inline]
    fn reduce(
        world: &mut W,
        links: Option<&LinkList<Link<K::Class>>>,
        args: A,
        reducer: R,
    ) -> Result<K::Output, Error> {
        let objects = ready_for_kernel(world).objects_mut();
        match links {
            None => Ok(exec::execute_and_reduce::<K, A, R>(objects, .., args, reducer)),
            Some(links) => exec::execute_each_and_reduce::<K, A, R>(objects, links.order(), 0, args, reducer),
        }
    }
}

impl<K, A, W> ExecuteOn<W, A> for K
where
    K: Call<A, Output: Discardable> + OnDevice<A>,
    A: Copy + Send + Sync + 'static,
    W: Holds<K::Class>,
{
    fn run_on(on: &mut On<'_, W>, links: Option<&LinkList<Link<K::Class>>>, args: A) -> Result<(), Error> {
        match links {
            None => on.run_range::<K, A>(.., args),
            Some(links) => on.run_each::<K, A>(links.order(), 0, args),
        }
    }
}

impl<K, A, W, R> ReduceOn<W, A, R> for K
where
    K: Call<A, Output: Transfer + Copy + Send + Sync> + ReducedBy<R> + OnDevice<A>,
    A: Copy + Send + Sync + 'static,
    R: Reducer<K::Output>,
    W: Holds<K::Class>,
{
    fn reduce_on(
        on: &mut On<'_, W>,
        links: Option<&LinkList<Link<K::Class>>>,
        args: A,
        reducer: R,
    ) -> Result<K::Output, Error> {
        match links {
            None => on.reduce_range::<K, A, R>(.., args, reducer),
            Some(links) => on.reduce_each::<K, A, R>(links.order(), 0, args, reducer),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<D, A, W, const METHOD: usize> Execute<W, A> for EveryClass<D, METHOD>
where
    W: World,
    D: Dispatch<Classes: for<'a> VisitedBy<D, Run<'a, W, A, METHOD>>>,
{
    fn run(world: &mut W, links: Option<&LinkList<AnyLink<D>>>, args: A) -> Result<(), Error> {
        let links = links.map(LinkList::order);
        Run::new(ready_for_kernel(world), links, args).visit::<D>()
    }
}

#[diagnostic::do_not_recommend]
impl<D, A, W, R, C, Rest, const METHOD: usize> Reduce<W, A, R> for EveryClass<D, METHOD>
where
    W: World,
    C: HasKernel<D, METHOD, Kernel: Call<A>>,
    R: Reducer<<C::Kernel as Call<A>>::Output>,
    D: Dispatch<Classes = Then<C, Rest>>,
    Then<C, Rest>: for<'a> VisitedBy<D, Fold<'a, W, A, R, <C::Kernel as Call<A>>::Output, METHOD>>,
{
    type Output = <C::Kernel as Call<A>>::Output;

    fn reduce(world: &mut W, links: Option<&LinkList<AnyLink<D>>>, args: A, reducer: R) -> Result<Self::Output, Error> {
        let mut fold = Fold::new(ready_for_kernel(world), links.map(LinkList::order), args, reducer);
        fold.visit::<D>()?;
        Ok(fold.result)
    }
}

// SAFETY: by `DispatchKernel` and `HasKernel`, the entry for all classes takes sections for them, and what the first class's kernel
// takes; without it, what is promised is what that kernel promises.
#[diagnostic::do_not_recommend]
unsafe impl<D, A, C, Rest, const METHOD: usize> OnDevice<A> for EveryClass<D, METHOD>
where
    C: HasKernel<D, METHOD, Kernel: OnDevice<A>>,
    D: DispatchKernel<METHOD> + Dispatch<Classes = Then<C, Rest>>,
{
    const ENTRY: &'static Entry = match D::TOGETHER {
        Some(entry) => entry,
        None => <C::Kernel as OnDevice<A>>::ENTRY,
    };
    const SECTIONS: usize = match D::TOGETHER {
        Some(_) => <D as Dispatch>::CLASSES.len(),
        None => 0,
    };
    type Arguments<'a>
        = <C::Kernel as OnDevice<A>>::Arguments<'a>
    where
        A: 'a;
    fn arguments(args: &A) -> Self::Arguments<'_> {
        <C::Kernel as OnDevice<A>>::arguments(args)
    }
}

#[diagnostic::do_not_recommend]
impl<D, A, W, const METHOD: usize> ExecuteOn<W, A> for EveryClass<D, METHOD>
where
    W: World,
    A: Copy + Send + Sync + 'static,
    Self: OnDevice<A>,
    D: DispatchKernel<METHOD>
        + Dispatch<
            Classes: for<'a> VisitedBy<D, Run<'a, W, A, METHOD>>
                         + for<'w, 'a> VisitedBy<D, Sections<'w, 'a, W, A, METHOD>>,
        >,
{
    fn run_on(on: &mut On<'_, W>, list: Option<&LinkList<AnyLink<D>>>, args: A) -> Result<(), Error> {
        let links = list.map(LinkList::order);
        let sections = Vec::with_capacity(<D as Dispatch>::CLASSES.len());
        let mut sections = Sections { world: on.world(), links, sections, args: PhantomData };
        D::Classes::visit_all(&mut sections)?;
        let (sections, arguments) = (sections.sections, <Self as OnDevice<A>>::arguments(&args));
        let launch = Launch::of_classes::<D, METHOD>(&sections, arguments.as_ref());
        match links {
            None => on.start(launch, move |world: &mut W| {
                try_ready_for_kernel(world)?;
                Run::new(world, None, args).visit::<D>()
            }),
            links => on.finish(launch, &mut |world: &mut W| {
                try_ready_for_kernel(world)?;
                Run::new(world, links, args).visit::<D>()
            }),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<D, A, W, R, T, const METHOD: usize> ReduceOn<W, A, R> for EveryClass<D, METHOD>
where
    W: World,
    R: Reducer<T>,
    Self: Reduce<W, A, R, Output = T> + Listed<Link = AnyLink<D>>,
    D: Dispatch<Classes: for<'a, 'w> VisitedBy<D, FoldOn<'a, 'w, W, A, R, T, METHOD>>>,
{
    fn reduce_on(on: &mut On<'_, W>, links: Option<&LinkList<AnyLink<D>>>, args: A, reducer: R) -> Result<T, Error> {
        let links = links.map(LinkList::order);
        let mut fold = FoldOn { on, links, args, reducer, own: Vec::new(), result: reducer.identity() };
        D::Classes::visit_all(&mut fold)?;
        Ok(fold.result)
    }
}
