//! Kernels as executors accept them: a kernel of one class, or of a trait with several classes.
//!
//! A kernel of a trait runs class by class, in the order of the trait's list. On a GPU it takes one launch, in which
//! each class has blocks of its own, so that no warp diverges. It is one kernel nevertheless: objects of one class do
//! not read the values that objects of another class write in it (see
//! [`Phase::BESIDE`](ikra_core::phase::Phase::BESIDE)). So the order of the classes does not affect results.

mod classes;
mod links;
mod verbs;
mod visits;

use std::fmt;
use std::marker::PhantomData;

pub use ikra_core::dispatch::{AnyLink, Referent};
use ikra_core::dispatch::{Dispatch, Then};
pub use ikra_core::kernel::HasKernel;
pub use ikra_core::phase::Sequential;

use crate::error::Error;
use crate::exec::Part;
use crate::kernel::{Call, DispatchKernel, Entry, Kernel, OnDevice};
use crate::link::Link;
use crate::list::ListedLink;
use crate::reduce::Reducer;
use crate::world::lives::{assert_holds, with_changes};
use crate::world::{Ready, World};
use ikra_core::effects::Effects;

pub(crate) use classes::run_pairs;
pub use links::{DispatchIn, LinkIn, dispatch_in};
pub use verbs::{Collect, CollectOn, Execute, ExecuteOn, Reduce, ReduceOn};
use visits::{Collected, Each, Entries, Folded, Numbers, VisitedBy, Visiting};

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
    /// The kernel's handle.
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

/// A kernel of a class or of a trait.
///
/// Separate from [`Execute`], [`Reduce`] and [`Collect`], because it does not depend on the arguments. Wrong arguments
/// then cause a single error.
///
/// # Safety
///
/// 1. `EFFECTS` lists the effects of the kernels of the classes of `Link`, one per class in their order.
/// 2. `TOGETHER` is the entry point that runs all of these kernels, if there is one.
pub unsafe trait AnyKernel: Copy {
    /// A link to an object of the kernel: a link of a class, or of a trait.
    type Link: ListedLink;
    /// The kernel's name.
    #[doc(hidden)]
    const NAME: &'static str;
    /// The kernel's effects on each class.
    #[doc(hidden)]
    const EFFECTS: &'static [&'static Effects];
    /// The entry point in device code for all classes.
    #[doc(hidden)]
    const TOGETHER: Option<&'static Entry>;
}

// SAFETY: 1. by `Kernel`, the effects are those of the class's kernel; 2. `TOGETHER` is `None`.
unsafe impl<K: Kernel> AnyKernel for K {
    type Link = Link<K::Class>;
    const NAME: &'static str = K::EFFECTS.kernel();
    const EFFECTS: &'static [&'static Effects] = &[K::EFFECTS];
    const TOGETHER: Option<&'static Entry> = None;
}

// SAFETY: 1. and 2. hold by the contract of `DispatchKernel`.
unsafe impl<D: Dispatch + DispatchKernel<METHOD>, const METHOD: usize> AnyKernel for EveryClass<D, METHOD> {
    type Link = AnyLink<D>;
    const NAME: &'static str = <D as DispatchKernel<METHOD>>::NAME;
    const EFFECTS: &'static [&'static Effects] = <D as DispatchKernel<METHOD>>::EFFECTS;
    const TOGETHER: Option<&'static Entry> = <D as DispatchKernel<METHOD>>::TOGETHER;
}

// SAFETY: each class's kernel has a number for the reducer, by `ReducedBy`, and only `Visiting` makes calls.
#[diagnostic::do_not_recommend]
unsafe impl<D, A, W, const METHOD: usize> Execute<W, A> for EveryClass<D, METHOD>
where
    W: World,
    D: DispatchKernel<METHOD> + Dispatch<Classes: for<'a> VisitedBy<D, Visiting<'a, W, A, Each, METHOD>>>,
{
    fn run(world: Ready<'_, W>, part: Part<'_>, args: A) -> Result<(), Error> {
        const { assert_holds::<W>(<Self as AnyKernel>::EFFECTS) }
        with_changes(world, <Self as AnyKernel>::EFFECTS, |world| {
            Visiting::new(world, part, args, Each).visit::<D>().map(drop)
        })
    }
}

// SAFETY: each class's kernel has a number for the reducer, by `ReducedBy`, and only `Visiting` makes calls.
#[diagnostic::do_not_recommend]
unsafe impl<D, A, W, R, C, Rest, const METHOD: usize> Reduce<W, A, R> for EveryClass<D, METHOD>
where
    W: World,
    C: HasKernel<D, METHOD, Kernel: Call<A>>,
    R: Reducer<<C::Kernel as Call<A>>::Output>,
    D: DispatchKernel<METHOD> + Dispatch<Classes = Then<C, Rest>>,
    Then<C, Rest>: for<'a> VisitedBy<D, Visiting<'a, W, A, Folded<<C::Kernel as Call<A>>::Output, R>, METHOD>>
        + Numbers<D, R, METHOD>,
{
    type Output = <C::Kernel as Call<A>>::Output;

    fn reduce(world: Ready<'_, W>, part: Part<'_>, args: A, reducer: R) -> Result<Self::Output, Error> {
        const { assert_holds::<W>(<Self as AnyKernel>::EFFECTS) }
        with_changes(world, <Self as AnyKernel>::EFFECTS, |world| {
            let folded = Visiting::new(world, part, args, Folded::new(reducer)).visit::<D>()?;
            Ok(folded.result)
        })
    }
    fn combine(own: Self::Output, others: Option<Self::Output>, reducer: R) -> Self::Output {
        reducer.combine(own, others.unwrap_or_else(|| reducer.identity()))
    }
    fn identity(reducer: R) -> Self::Output {
        reducer.identity()
    }
    fn number(class: usize) -> usize {
        <Then<C, Rest> as Numbers<D, R, METHOD>>::number(class)
    }
}

// SAFETY: only `Visiting` makes calls, one for each object.
#[diagnostic::do_not_recommend]
unsafe impl<D, A, W, C, Rest, const METHOD: usize> Collect<W, A> for EveryClass<D, METHOD>
where
    W: World,
    C: HasKernel<D, METHOD, Kernel: Call<A>>,
    D: DispatchKernel<METHOD> + Dispatch<Classes = Then<C, Rest>>,
    Then<C, Rest>: for<'a> VisitedBy<D, Visiting<'a, W, A, Collected<<C::Kernel as Call<A>>::Output>, METHOD>>,
{
    type Output = <C::Kernel as Call<A>>::Output;

    fn collect(world: Ready<'_, W>, part: Part<'_>, args: A) -> Result<Vec<Self::Output>, Error> {
        const { assert_holds::<W>(<Self as AnyKernel>::EFFECTS) }
        with_changes(world, <Self as AnyKernel>::EFFECTS, |world| {
            let collected = Visiting::new(world, part, args, Collected::default()).visit::<D>()?;
            Ok(collected.0)
        })
    }
}

// SAFETY: 1. By `DispatchKernel` and `HasKernel`, the entry point for all classes takes their sections and the
// arguments of the first class's kernel. Without it, the first class's kernel keeps the promise. 2. By `Entries`.
#[diagnostic::do_not_recommend]
unsafe impl<D, A, C, Rest, const METHOD: usize> OnDevice<A> for EveryClass<D, METHOD>
where
    C: HasKernel<D, METHOD, Kernel: OnDevice<A>>,
    D: DispatchKernel<METHOD> + Dispatch<Classes = Then<C, Rest>>,
    Then<C, Rest>: Entries<D, A, METHOD>,
{
    const ENTRY: &'static Entry = match D::TOGETHER {
        Some(entry) => entry,
        None => <C::Kernel as OnDevice<A>>::ENTRY,
    };
    const SECTIONS: usize = match D::TOGETHER {
        Some(_) => <D as Dispatch>::CLASSES.len(),
        None => 0,
    };
    fn entry(class: usize) -> &'static Entry {
        Then::<C, Rest>::entry(class)
    }
    type Arguments<'a>
        = <C::Kernel as OnDevice<A>>::Arguments<'a>
    where
        A: 'a;
    fn arguments(args: &A) -> Self::Arguments<'_> {
        <C::Kernel as OnDevice<A>>::arguments(args)
    }
    type Kept = <C::Kernel as OnDevice<A>>::Kept;
    fn keep(args: A) -> Option<Self::Kept> {
        <C::Kernel as OnDevice<A>>::keep(args)
    }
    fn given(kept: Self::Kept) -> A {
        <C::Kernel as OnDevice<A>>::given(kept)
    }
}
