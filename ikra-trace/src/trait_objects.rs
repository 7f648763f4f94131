//! `Rc<dyn Actor>` and `Arc<dyn Actor>`, whose objects may be of any class of a trait under `#[soa_dispatch]`.

use std::rc::{Rc, Weak};
use std::sync::{Arc, Weak as ArcWeak};

use ikra_core::dispatch::{AnyLink, Dispatch};

use crate::back::Context;
use crate::code::any_link;
use crate::error::Problem;
use crate::object::TraceObject;
use crate::pointers::{Refers, arc, rc};
use crate::tracer::Tracer;

/// An object of an unknown ordinary type that can be traced: a supertrait of [`TraceAs`].
///
/// ```
/// use std::rc::Rc;
/// use ikra::{prelude::*, trace::{Trace, TraceAny, TraceWorld}};
///
/// #[soa_class]
/// pub struct Body { pub mass: f32 }
/// #[soa_world]
/// pub struct Sim { pub bodies: Objects<Body> }
/// #[derive(Trace)]
/// #[trace(class = Body)]
/// struct PlainBody { mass: f32 }
///
/// # fn main() -> Result<(), ikra::trace::TraceError> {
/// let bodies: Vec<Rc<dyn TraceAny>> = vec![Rc::new(PlainBody { mass: 1.0 })];
/// assert_eq!(Sim::trace(&bodies)?.bodies.len(), 1);
/// # Ok(()) }
/// ```
pub trait TraceAny {
    /// Makes the object known.
    #[doc(hidden)]
    fn enter(self: Rc<Self>, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem>;
    /// Makes an object in an `Arc` known.
    #[doc(hidden)]
    fn enter_shared(self: Arc<Self>, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem>
    where
        Self: Send + Sync;
}

impl<X: TraceObject> TraceAny for X {
    fn enter(self: Rc<Self>, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem> {
        rc(&self, tracer.graph).map(drop)
    }
    fn enter_shared(self: Arc<Self>, tracer: &mut Tracer<'_, '_>) -> Result<(), Problem>
    where
        Self: Send + Sync,
    {
        arc(&self, tracer.graph).map(drop)
    }
}

/// An object whose class is in the list of the trait `D` under `#[soa_dispatch]`. As a supertrait of an ordinary trait,
/// it lets `Rc<dyn Trait>` be traced: there is no list of the types. So it does `Arc<dyn Trait>`, if the trait has the
/// supertraits `Send + Sync` too, and `Arc<dyn Trait + Send + Sync>`.
///
/// ```
/// use std::cell::Cell;
/// use std::rc::Rc;
/// use ikra::{prelude::*, trace::{Trace, TraceAs, TraceWorld}};
///
/// #[soa_class]
/// pub struct Car { pub km: u32, pub ahead: Option<ActorLink> }
/// #[soa_class]
/// pub struct Walker { pub steps: u32 }
/// #[soa_dispatch(Car, Walker)]
/// pub trait Actor { #[kernel] fn tick(&mut self, hours: u32); }
/// #[soa_methods]
/// impl Actor for Car { fn tick(&mut self, hours: u32) { self.km += 100 * hours; } }
/// #[soa_methods]
/// impl Actor for Walker { fn tick(&mut self, hours: u32) { self.steps += 5000 * hours; } }
/// #[soa_world]
/// pub struct Town { pub cars: Objects<Car>, pub walkers: Objects<Walker> }
///
/// trait PlainActor: TraceAs<Actor> { fn distance(&self) -> u32; }
///
/// #[derive(Trace)]
/// #[trace(class = Car)]
/// struct PlainCar { km: Cell<u32>, ahead: Option<Rc<dyn PlainActor>> }
/// impl PlainActor for PlainCar { fn distance(&self) -> u32 { self.km.get() } }
///
/// #[derive(Trace)]
/// #[trace(class = Walker)]
/// struct PlainWalker { steps: Cell<u32> }
/// impl PlainActor for PlainWalker { fn distance(&self) -> u32 { self.steps.get() / 1250 } }
///
/// # fn main() -> Result<(), ikra::trace::TraceError> {
/// let walker: Rc<dyn PlainActor> = Rc::new(PlainWalker { steps: Cell::new(0) });
/// let car: Rc<dyn PlainActor> = Rc::new(PlainCar { km: Cell::new(7), ahead: Some(walker.clone()) });
/// let mut town = Town::trace(&[car.clone()])?;
/// town.execute(Actor::tick, 1);
/// town.write_back()?;
/// assert_eq!([&car, &walker].map(|actor| actor.distance()), [107, 4]);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "an object of type `{Self}` cannot be traced as a `{D}`",
    label = "not an object of one of the classes of `{D}`",
    note = "add `#[derive(Trace)] #[trace(class = Class)]` to it, with a class in the list of `#[soa_dispatch(…)]` of `{D}`"
)]
pub trait TraceAs<D: Dispatch>: TraceAny {
    /// The link to the object, which becomes known.
    #[doc(hidden)]
    fn link(self: Rc<Self>, tracer: &mut Tracer<'_, '_>) -> Result<AnyLink<D>, Problem>;
    /// The link to an object in an `Arc`, which becomes known.
    #[doc(hidden)]
    fn link_shared(self: Arc<Self>, tracer: &mut Tracer<'_, '_>) -> Result<AnyLink<D>, Problem>
    where
        Self: Send + Sync;
}

#[diagnostic::do_not_recommend]
impl<X: TraceObject, D: Dispatch> TraceAs<D> for X
where
    X::Link: Into<AnyLink<D>>,
{
    fn link(self: Rc<Self>, tracer: &mut Tracer<'_, '_>) -> Result<AnyLink<D>, Problem> {
        any_link(rc(&self, tracer.graph)?)
    }
    fn link_shared(self: Arc<Self>, tracer: &mut Tracer<'_, '_>) -> Result<AnyLink<D>, Problem>
    where
        Self: Send + Sync,
    {
        any_link(arc(&self, tracer.graph)?)
    }
}

/// Pointers to trait objects, and weak ones.
macro_rules! pointers {
    ($([$($bounds:tt)*] $strong:ident, $weak:ident, $link:ident;)*) => { $(
        impl<D: Dispatch, A: TraceAs<D> $($bounds)* + ?Sized + 'static> Refers<AnyLink<D>> for $strong<A> {
            fn refer_if_alive<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<Option<AnyLink<D>>, Problem> {
                let link = A::$link($strong::clone(self), tracer)?;
                tracer.graph.remember(self, $strong::as_ptr(self).addr());
                Ok(Some(link))
            }
            fn again(link: AnyLink<D>, context: &Context<'_>) -> Result<Self, Problem> {
                context.graph.trait_object(link.into())
            }
        }

        impl<D: Dispatch, A: TraceAs<D> $($bounds)* + ?Sized + 'static> Refers<AnyLink<D>> for $weak<A> {
            fn refer_if_alive<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<Option<AnyLink<D>>, Problem> {
                let Some(object) = self.upgrade() else { return Ok(None) };
                let link = A::$link($strong::clone(&object), tracer)?;
                tracer.graph.remember(&object, $strong::as_ptr(&object).addr());
                Ok(Some(link))
            }
            fn again(link: AnyLink<D>, context: &Context<'_>) -> Result<Self, Problem> {
                context.graph.trait_object::<$strong<A>>(link.into()).map(|object| $strong::downgrade(&object))
            }
        }
    )* };
}
pointers! {
    [] Rc, Weak, link;
    [+ Send + Sync] Arc, ArcWeak, link_shared;
}
