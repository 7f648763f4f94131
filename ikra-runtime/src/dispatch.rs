//! Kernels of several classes: what executors take for a kernel, a class's or a trait's.
//!
//! A kernel of a trait runs class by class, in the order of the trait's list; on a GPU in one launch, in which each class has
//! blocks of its own, so that no warp diverges. It is one kernel all the same: what one class's objects write in it, those of another do not read (see
//! [`Phase::BESIDE`](ikra_core::phase::Phase::BESIDE)), so that the order of the classes does not show.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

pub use ikra_core::dispatch::{AnyLink, Referent};
use ikra_core::dispatch::{Dispatch, Follow, Includes};
pub use ikra_core::kernel::HasKernel;
pub use ikra_core::phase::Sequential;

use crate::class::Class;
use crate::error::Error;
use crate::exec;
use crate::executor::{Launch, On, Over, Section};
use crate::handle::Handle;
use crate::kernel::{Argument, Call, Discardable, DispatchKernel, OnDevice, ReducedBy};
use crate::link::Link;
use crate::list::{LinkList, ListOrder, ListedLink};
use crate::reduce::Reducer;
use crate::transfer::Transfer;
use crate::world::{Holds, Mut, World, ready, ready_for_kernel, try_ready_for_kernel};

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

/// The classes of a trait, as [`Then`] after [`Then`].
pub trait ClassList: Dispatch {
    /// The list.
    type List;
}

/// A class, and those that follow.
#[derive(Debug)]
pub struct Then<C, Rest>(PhantomData<fn() -> (C, Rest)>);

/// No class: the end of a list.
#[derive(Debug)]
pub struct Done;

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

/// A link of a world, by which [`World::get`] finds the object: [`Link<C>`](Link) of a class that the world holds, or
/// [`AnyLink<D>`](AnyLink) of a trait whose classes it holds.
///
/// ```
/// use ikra::{LinkIn, World, prelude::*};
/// # #[soa_class] pub struct Car { pub km: u32 }
/// # #[soa_methods] impl Car {
/// #     #[kernel] pub fn drive(&mut self, km: u32) { self.km += km; }
/// #     #[kernel(reduce(Sum))] pub fn driven(&self) -> u32 { self.km }
/// # }
/// # #[soa_world] pub struct Town { pub cars: Objects<Car> }
///
/// /// How many of these links lead somewhere.
/// fn alive<W: World>(world: &W, links: &[impl LinkIn<W>]) -> usize {
///     links.iter().filter(|link| world.try_get(**link).is_ok()).count()
/// }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut town = Town::new();
/// let car = town.cars.push(Car { km: 0 })?;
/// assert_eq!(alive(&town, &[car, Link::from_index(7).unwrap()]), 1);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no link of world `{W}`",
    label = "not a link to objects of this world",
    note = "a link is a `Link<Class>`, or the link of a trait under `#[soa_dispatch]`; of an `Option` of one take `map`"
)]
pub trait LinkIn<W: 'static>: Follow {
    /// The guard that [`World::get_mut`] returns.
    type Mut<'w>;
    /// The object.
    #[doc(hidden)]
    #[track_caller]
    fn find(self, world: &W) -> Result<Self::View<'_, Sequential>, Error>;
    /// A guard of the object.
    #[doc(hidden)]
    #[track_caller]
    fn find_mut(self, world: &mut W) -> Result<Self::Mut<'_>, Error>;
}

impl<C: Class, W: Holds<C>> LinkIn<W> for Link<C> {
    type Mut<'w> = Mut<'w, C>;

    #[inline]
    fn find(self, world: &W) -> Result<C::Ref<'_, Sequential>, Error> {
        let objects = world.objects();
        objects.check_initialized(self)?;
        ready(world);
        // SAFETY: the phase is no kernel; and the object was just checked to exist.
        Ok(C::to_ref(unsafe { Handle::at(objects.table(), self.index()) }))
    }
    #[inline]
    fn find_mut(self, world: &mut W) -> Result<Mut<'_, C>, Error> {
        let objects = Holds::<C>::objects(world);
        objects.check_initialized(self)?;
        ready(world);
        Ok(Mut::new(objects.table(), self.index()))
    }
}

impl<D: DispatchIn<W>, W: 'static> LinkIn<W> for AnyLink<D> {
    type Mut<'w> = D::Mut<'w>;

    #[inline]
    fn find(self, world: &W) -> Result<D::Ref<'_, Sequential>, Error> {
        D::find(self, world)
    }
    #[inline]
    fn find_mut(self, world: &mut W) -> Result<D::Mut<'_>, Error> {
        D::find_mut(self, world)
    }
}

/// A world holds all classes of a trait.
pub trait DispatchIn<W: 'static>: Dispatch {
    /// A guard, by class.
    type Mut<'w>;
    /// The object.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`], [`Error::NotInitialized`].
    fn find(link: AnyLink<Self>, world: &W) -> Result<Self::Ref<'_, Sequential>, Error>;
    /// A guard of the object.
    ///
    /// # Errors
    ///
    /// [`Error::NotInWorld`], [`Error::NotInitialized`].
    fn find_mut(link: AnyLink<Self>, world: &mut W) -> Result<Self::Mut<'_>, Error>;
}

/// The classes of a trait, and its links in worlds.
#[doc(hidden)]
#[macro_export]
macro_rules! __dispatch_in {
    (@list) => { $crate::dispatch::Done };
    (@list $class:path; $($rest:path;)*) => {
        $crate::dispatch::Then<$class, $crate::__dispatch_in!(@list $($rest;)*)>
    };
    ($all:ident, $is:ident: $($variant:ident = $class:path;)*) => {
        #[automatically_derived]
        impl $crate::dispatch::ClassList for $all {
            type List = $crate::__dispatch_in!(@list $($class;)*);
        }
        #[automatically_derived]
        impl<__W: 'static $(+ $crate::world::Holds<$class>)*> $crate::dispatch::DispatchIn<__W> for $all {
            type Mut<'w> = $is<$($crate::world::Mut<'w, $class>),*>;
            #[inline]
            fn find(
                link: $crate::dispatch::AnyLink<Self>,
                world: &__W,
            ) -> ::core::result::Result<
                <Self as $crate::dispatch::Referent>::Ref<'_, $crate::dispatch::Sequential>,
                $crate::error::Error,
            > {
                match link.class() {
                    $($is::$variant(link) => $crate::dispatch::LinkIn::find(link, world)
                        .map(::core::convert::Into::into),)*
                }
            }
            #[inline]
            fn find_mut(
                link: $crate::dispatch::AnyLink<Self>,
                world: &mut __W,
            ) -> ::core::result::Result<Self::Mut<'_>, $crate::error::Error> {
                match link.class() {
                    $($is::$variant(link) => $crate::dispatch::LinkIn::find_mut(link, world).map($is::$variant),)*
                }
            }
        }
    };
}
pub use __dispatch_in as dispatch_in;

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
pub trait Execute<W, A>: Copy {
    /// What lists of objects consist of: links of the class, or of the trait.
    type Link: ListedLink;
    /// For all objects.
    #[doc(hidden)]
    #[track_caller]
    fn run(world: &mut W, args: A);
    /// For those in a list.
    #[doc(hidden)]
    #[track_caller]
    fn run_each(world: &mut W, links: &LinkList<Self::Link>, args: A) -> Result<(), Error>;
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
    message = "`{Self}` does not run in world `{W}` by this executor with arguments `{A}` and reducer `{R}`",
    label = "wrong arguments for this kernel, or the wrong executor or world",
    note = "give one argument by itself, several as a tuple, none as `()`; `Link<X>` where the method takes `Ref<X>`",
    note = "a kernel of a trait runs in worlds that hold all classes of the trait"
)]
pub trait Reduce<W, A, R>: Copy {
    /// What lists of objects consist of: links of the class, or of the trait.
    type Link: ListedLink;
    /// What the kernel returns.
    type Output;
    /// For all objects.
    #[doc(hidden)]
    #[track_caller]
    fn reduce(world: &mut W, args: A, reducer: R) -> Self::Output;
    /// For those in a list.
    #[doc(hidden)]
    #[track_caller]
    fn reduce_each(world: &mut W, links: &LinkList<Self::Link>, args: A, reducer: R) -> Result<Self::Output, Error>;
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
    /// For all objects.
    #[doc(hidden)]
    fn run_on(on: &mut On<'_, W>, args: A) -> Result<(), Error>;
    /// For those in a list.
    #[doc(hidden)]
    fn run_each_on(on: &mut On<'_, W>, links: &LinkList<Self::Link>, args: A) -> Result<(), Error>;
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
    message = "`{Self}` does not run at every place with arguments `{A}` and reducer `{R}`",
    label = "wrong arguments for this kernel, or it runs on the host only",
    note = "at every place, a kernel has no type parameters and takes values only: no references, no closures, no tuples",
    note = "the short forms, as `sim.execute(…)`, run it on the host, whatever it takes"
)]
pub trait ReduceOn<W: World, A, R>: Reduce<W, A, R> {
    /// For all objects.
    #[doc(hidden)]
    fn reduce_on(on: &mut On<'_, W>, args: A, reducer: R) -> Result<Self::Output, Error>;
    /// For those in a list.
    #[doc(hidden)]
    fn reduce_each_on(
        on: &mut On<'_, W>,
        links: &LinkList<Self::Link>,
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
    type Link = Link<K::Class>;

    #[inline]
    fn run(world: &mut W, args: A) {
        exec::execute::<K, A>(ready_for_kernel(world).objects_mut(), .., args);
    }
    #[inline]
    fn run_each(world: &mut W, links: &LinkList<Link<K::Class>>, args: A) -> Result<(), Error> {
        exec::execute_each::<K, A>(ready_for_kernel(world).objects_mut(), links.order(), 0, args)
    }
}

impl<K, A, W, R> Reduce<W, A, R> for K
where
    K: Call<A, Output: Copy + Send + Sync> + ReducedBy<R>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
    W: Holds<K::Class>,
{
    type Link = Link<K::Class>;
    type Output = K::Output;

    #[inline]
    fn reduce(world: &mut W, args: A, reducer: R) -> K::Output {
        exec::execute_and_reduce::<K, A, R>(ready_for_kernel(world).objects_mut(), .., args, reducer)
    }
    #[inline]
    fn reduce_each(world: &mut W, links: &LinkList<Link<K::Class>>, args: A, reducer: R) -> Result<K::Output, Error> {
        exec::execute_each_and_reduce::<K, A, R>(ready_for_kernel(world).objects_mut(), links.order(), 0, args, reducer)
    }
}

impl<K, A, W> ExecuteOn<W, A> for K
where
    K: Call<A, Output: Discardable> + OnDevice<A>,
    A: Copy + Send + Sync + 'static,
    W: Holds<K::Class>,
{
    fn run_on(on: &mut On<'_, W>, args: A) -> Result<(), Error> {
        on.run_range::<K, A>(.., args)
    }
    fn run_each_on(on: &mut On<'_, W>, links: &LinkList<Link<K::Class>>, args: A) -> Result<(), Error> {
        on.run_each::<K, A>(links.order(), 0, args)
    }
}

impl<K, A, W, R> ReduceOn<W, A, R> for K
where
    K: Call<A, Output: Transfer + Copy + Send + Sync> + ReducedBy<R> + OnDevice<A>,
    A: Copy + Send + Sync + 'static,
    R: Reducer<K::Output>,
    W: Holds<K::Class>,
{
    fn reduce_on(on: &mut On<'_, W>, args: A, reducer: R) -> Result<K::Output, Error> {
        on.reduce_range::<K, A, R>(.., args, reducer)
    }
    fn reduce_each_on(
        on: &mut On<'_, W>,
        links: &LinkList<Link<K::Class>>,
        args: A,
        reducer: R,
    ) -> Result<K::Output, Error> {
        on.reduce_each::<K, A, R>(links.order(), 0, args, reducer)
    }
}

mod lists {
    //! The executors, class by class of a list, for the kernels of a method.

    use super::*;

    /// Each kernel for all objects of its class, and for those of a list.
    ///
    /// Of a list the kernels of the classes run last to first, so that all links are looked at before the first of them runs.
    pub trait ExecuteList<D, W, A, const METHOD: usize> {
        fn run(world: &mut W, args: A);
        fn run_each(world: &mut W, links: &Arc<ListOrder>, args: A) -> Result<(), Error>;
    }
    impl<D, W, A, const METHOD: usize> ExecuteList<D, W, A, METHOD> for Done {
        fn run(_: &mut W, _: A) {}
        fn run_each(_: &mut W, _: &Arc<ListOrder>, _: A) -> Result<(), Error> {
            Ok(())
        }
    }
    impl<D, W, A, C, Rest, const METHOD: usize> ExecuteList<D, W, A, METHOD> for Then<C, Rest>
    where
        C: HasKernel<D, METHOD, Kernel: Call<A, Output: Discardable>>,
        A: Copy + Send + Sync,
        D: Includes<C>,
        W: Holds<C>,
        Rest: ExecuteList<D, W, A, METHOD>,
    {
        fn run(world: &mut W, args: A) {
            exec::execute::<C::Kernel, A>(world.objects_mut(), .., args);
            Rest::run(world, args);
        }
        fn run_each(world: &mut W, links: &Arc<ListOrder>, args: A) -> Result<(), Error> {
            links.check::<C>(D::TAG, world.objects().len())?;
            Rest::run_each(world, links, args)?;
            exec::execute_each::<C::Kernel, A>(world.objects_mut(), links, D::TAG, args)
        }
    }

    /// What the first class's kernel returns.
    pub trait Returns<D, A, const METHOD: usize> {
        type Output;
    }
    impl<D, A, C, Rest, const METHOD: usize> Returns<D, A, METHOD> for Then<C, Rest>
    where
        C: HasKernel<D, METHOD, Kernel: Call<A>>,
    {
        type Output = <C::Kernel as Call<A>>::Output;
    }

    /// The same with results of type `T`, which are combined in the order of the classes.
    pub trait ReduceList<D, W, A, R, T, const METHOD: usize> {
        fn reduce(world: &mut W, args: A, reducer: R) -> T;
        fn reduce_each(world: &mut W, links: &Arc<ListOrder>, args: A, reducer: R) -> Result<T, Error>;
    }
    impl<D, W, A, R: Reducer<T>, T, const METHOD: usize> ReduceList<D, W, A, R, T, METHOD> for Done {
        fn reduce(_: &mut W, _: A, reducer: R) -> T {
            reducer.identity()
        }
        fn reduce_each(_: &mut W, _: &Arc<ListOrder>, _: A, reducer: R) -> Result<T, Error> {
            Ok(reducer.identity())
        }
    }
    impl<D, W, A, R, T, C, Rest, const METHOD: usize> ReduceList<D, W, A, R, T, METHOD> for Then<C, Rest>
    where
        C: HasKernel<D, METHOD, Kernel: Call<A, Output = T> + ReducedBy<R>>,
        T: Copy + Send + Sync,
        A: Copy + Send + Sync,
        R: Reducer<T>,
        D: Includes<C>,
        W: Holds<C>,
        Rest: ReduceList<D, W, A, R, T, METHOD>,
    {
        fn reduce(world: &mut W, args: A, reducer: R) -> T {
            let own = exec::execute_and_reduce::<C::Kernel, A, R>(world.objects_mut(), .., args, reducer);
            reducer.combine(own, Rest::reduce(world, args, reducer))
        }
        fn reduce_each(world: &mut W, links: &Arc<ListOrder>, args: A, reducer: R) -> Result<T, Error> {
            links.check::<C>(D::TAG, world.objects().len())?;
            let others = Rest::reduce_each(world, links, args, reducer)?;
            let own =
                exec::execute_each_and_reduce::<C::Kernel, A, R>(world.objects_mut(), links, D::TAG, args, reducer)?;
            Ok(reducer.combine(own, others))
        }
    }

    /// The same at any place, as one run.
    pub trait ExecuteOnList<D, W: World, A, const METHOD: usize>: ExecuteList<D, W, A, METHOD> {
        /// Adds the classes' sections: for all objects, or for those of a list, which are looked at.
        fn sections<'a>(
            world: &W,
            links: Option<&'a Arc<ListOrder>>,
            sections: &mut Vec<Section<'a>>,
        ) -> Result<(), Error>;
        /// Calls `work` with what the kernels' entries take.
        fn with_arguments<T>(args: &A, work: impl FnOnce(&[Argument<'_>]) -> T) -> T;
    }
    impl<D, W: World, A, const METHOD: usize> ExecuteOnList<D, W, A, METHOD> for Done {
        fn sections<'a>(_: &W, _: Option<&'a Arc<ListOrder>>, _: &mut Vec<Section<'a>>) -> Result<(), Error> {
            Ok(())
        }
        fn with_arguments<T>(_: &A, work: impl FnOnce(&[Argument<'_>]) -> T) -> T {
            work(&[])
        }
    }
    impl<D, W, A, C, Rest, const METHOD: usize> ExecuteOnList<D, W, A, METHOD> for Then<C, Rest>
    where
        C: HasKernel<D, METHOD, Kernel: Call<A, Output: Discardable> + OnDevice<A>>,
        A: Copy + Send + Sync + 'static,
        D: Includes<C>,
        W: Holds<C>,
        Rest: ExecuteOnList<D, W, A, METHOD>,
    {
        fn sections<'a>(
            world: &W,
            links: Option<&'a Arc<ListOrder>>,
            sections: &mut Vec<Section<'a>>,
        ) -> Result<(), Error> {
            // Safe code may have made the list; a launch for all classes has them in the order of their numbers.
            assert!(sections.len() == D::TAG, "the classes of {} are in the order of its list", D::NAME);
            let len = world.objects().len();
            let over = match links {
                None => Over::Range(0..len),
                Some(list) => {
                    list.check::<C>(D::TAG, len)?;
                    Over::List { list, class: D::TAG }
                }
            };
            sections.push(Section::of::<C::Kernel, A>(over));
            Rest::sections(world, links, sections)
        }
        fn with_arguments<T>(args: &A, work: impl FnOnce(&[Argument<'_>]) -> T) -> T {
            work(<C::Kernel as OnDevice<A>>::arguments(args).as_ref())
        }
    }

    /// The same with results.
    pub trait ReduceOnList<D, W: World, A, R, T, const METHOD: usize> {
        fn reduce_on(on: &mut On<'_, W>, args: A, reducer: R) -> Result<T, Error>;
        fn reduce_each_on(on: &mut On<'_, W>, links: &Arc<ListOrder>, args: A, reducer: R) -> Result<T, Error>;
    }
    impl<D, W: World, A, R: Reducer<T>, T, const METHOD: usize> ReduceOnList<D, W, A, R, T, METHOD> for Done {
        fn reduce_on(_: &mut On<'_, W>, _: A, reducer: R) -> Result<T, Error> {
            Ok(reducer.identity())
        }
        fn reduce_each_on(_: &mut On<'_, W>, _: &Arc<ListOrder>, _: A, reducer: R) -> Result<T, Error> {
            Ok(reducer.identity())
        }
    }
    impl<D, W, A, R, T, C, Rest, const METHOD: usize> ReduceOnList<D, W, A, R, T, METHOD> for Then<C, Rest>
    where
        C: HasKernel<D, METHOD, Kernel: Call<A, Output = T> + ReducedBy<R> + OnDevice<A>>,
        T: Transfer,
        A: Copy + Send + Sync + 'static,
        R: Reducer<T>,
        D: Includes<C>,
        W: Holds<C>,
        Rest: ReduceOnList<D, W, A, R, T, METHOD>,
    {
        fn reduce_on(on: &mut On<'_, W>, args: A, reducer: R) -> Result<T, Error> {
            let own = on.reduce_range::<C::Kernel, A, R>(.., args, reducer)?;
            Ok(reducer.combine(own, Rest::reduce_on(on, args, reducer)?))
        }
        fn reduce_each_on(on: &mut On<'_, W>, links: &Arc<ListOrder>, args: A, reducer: R) -> Result<T, Error> {
            links.check::<C>(D::TAG, on.world().objects().len())?;
            let others = Rest::reduce_each_on(on, links, args, reducer)?;
            Ok(reducer.combine(on.reduce_each::<C::Kernel, A, R>(links, D::TAG, args, reducer)?, others))
        }
    }
}
use lists::{ExecuteList, ExecuteOnList, ReduceList, ReduceOnList, Returns};

#[diagnostic::do_not_recommend]
impl<D, A, W, const METHOD: usize> Execute<W, A> for EveryClass<D, METHOD>
where
    W: World,
    D: ClassList<List: ExecuteList<D, W, A, METHOD>>,
{
    type Link = AnyLink<D>;

    fn run(world: &mut W, args: A) {
        D::List::run(ready_for_kernel(world), args);
    }
    fn run_each(world: &mut W, links: &LinkList<AnyLink<D>>, args: A) -> Result<(), Error> {
        D::List::run_each(ready_for_kernel(world), links.order(), args)
    }
}

#[diagnostic::do_not_recommend]
impl<D, A, W, R, const METHOD: usize> Reduce<W, A, R> for EveryClass<D, METHOD>
where
    W: World,
    D: ClassList<
        List: Returns<D, A, METHOD> + ReduceList<D, W, A, R, <D::List as Returns<D, A, METHOD>>::Output, METHOD>,
    >,
{
    type Link = AnyLink<D>;
    type Output = <D::List as Returns<D, A, METHOD>>::Output;

    fn reduce(world: &mut W, args: A, reducer: R) -> Self::Output {
        D::List::reduce(ready_for_kernel(world), args, reducer)
    }
    fn reduce_each(world: &mut W, links: &LinkList<AnyLink<D>>, args: A, reducer: R) -> Result<Self::Output, Error> {
        D::List::reduce_each(ready_for_kernel(world), links.order(), args, reducer)
    }
}

#[diagnostic::do_not_recommend]
impl<D, A, W, const METHOD: usize> ExecuteOn<W, A> for EveryClass<D, METHOD>
where
    W: World,
    A: Copy + Send + Sync + 'static,
    D: DispatchKernel<METHOD> + ClassList<List: ExecuteOnList<D, W, A, METHOD>>,
{
    fn run_on(on: &mut On<'_, W>, args: A) -> Result<(), Error> {
        let mut sections = Vec::with_capacity(D::CLASSES.len());
        D::List::sections(on.world(), None, &mut sections)?;
        D::List::with_arguments(&args, |arguments| {
            on.start(Launch::of_classes::<D, METHOD>(&sections, arguments), move |world: &mut W| {
                try_ready_for_kernel(world)?;
                D::List::run(world, args);
                Ok(())
            })
        })
    }
    fn run_each_on(on: &mut On<'_, W>, links: &LinkList<AnyLink<D>>, args: A) -> Result<(), Error> {
        let mut sections = Vec::with_capacity(D::CLASSES.len());
        D::List::sections(on.world(), Some(links.order()), &mut sections)?;
        D::List::with_arguments(&args, |arguments| {
            on.finish(Launch::of_classes::<D, METHOD>(&sections, arguments), &mut |world: &mut W| {
                try_ready_for_kernel(world)?;
                D::List::run_each(world, links.order(), args)
            })
        })
    }
}

#[diagnostic::do_not_recommend]
impl<D, A, W, R, const METHOD: usize> ReduceOn<W, A, R> for EveryClass<D, METHOD>
where
    W: World,
    Self: Reduce<W, A, R, Link = AnyLink<D>>,
    D: ClassList<List: ReduceOnList<D, W, A, R, <Self as Reduce<W, A, R>>::Output, METHOD>>,
{
    fn reduce_on(on: &mut On<'_, W>, args: A, reducer: R) -> Result<Self::Output, Error> {
        D::List::reduce_on(on, args, reducer)
    }
    fn reduce_each_on(
        on: &mut On<'_, W>,
        links: &LinkList<AnyLink<D>>,
        args: A,
        reducer: R,
    ) -> Result<Self::Output, Error> {
        D::List::reduce_each_on(on, links.order(), args, reducer)
    }
}
