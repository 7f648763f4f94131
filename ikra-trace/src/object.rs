//! Ordinary types whose objects become objects of a class, or of one class per variant.

use std::any::Any;
use std::cell::RefCell;
use std::sync::{LockResult, Mutex, PoisonError, RwLock, TryLockError, TryLockResult};

use ikra_core::class::Class;
use ikra_core::link::Link;

use crate::back::Back;
use crate::error::{At, Problem};
use crate::held::{NewObject, UntypedLink};
use crate::tracer::Tracer;

/// An ordinary type whose objects become objects of a class. `#[derive(Trace)]` implements it; so do a `RefCell`, a
/// `Mutex` and an `RwLock` of such a type.
///
/// ```
/// use std::cell::RefCell;
/// use ikra::{prelude::*, trace::Trace};
///
/// #[soa_class]
/// pub struct Body { pub mass: f32 }
///
/// #[derive(Trace)]
/// #[trace(class = Body)]
/// struct PlainBody { mass: f32 }
///
/// fn name_of_class<T: Trace>() -> &'static str { <T::Class as ikra::ClassInfo>::NAME }
/// assert_eq!(name_of_class::<RefCell<PlainBody>>(), "Body");
/// ```
///
/// All settings of the derive macro:
///
/// ```
/// use std::cell::RefCell;
/// use std::rc::Rc;
/// use std::time::Duration;
/// use ikra::{prelude::*, trace::{Trace, TraceWorld}};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Trace, Value)]
/// #[repr(u8)]
/// #[trace(value)]
/// pub enum Kind { Star, Planet }
///
/// #[soa_class]
/// pub struct Body { pub kind: Kind, pub mass: f32, pub age: f32, pub force: [f32; 2] }
/// #[soa_world]
/// pub struct Sky { pub bodies: Objects<Body> }
///
/// #[derive(Trace)]
/// #[trace(class = Body, rest(force = [0.0; 2]))]
/// struct PlainBody {
///     kind: Kind,
///     #[trace(field = mass)]
///     weight: f32,
///     #[trace(with = seconds)]
///     age: Duration,
///     #[trace(skip)]
///     observed: Vec<String>,
/// }
///
/// mod seconds {
///     use std::time::Duration;
///     pub fn trace(age: &Duration) -> f32 { age.as_secs_f32() }
///     pub fn write_back(age: &mut Duration, seconds: f32) { *age = Duration::from_secs_f32(seconds); }
/// }
///
/// # fn main() -> Result<(), ikra::trace::TraceError> {
/// let age = Duration::from_secs(2);
/// let sun = Rc::new(RefCell::new(PlainBody { kind: Kind::Star, weight: 1.0, age, observed: vec![] }));
/// let mut sky = Sky::trace(&sun)?;
/// assert_eq!(sky.bodies.column(body::kind), [Kind::Star]);
/// sky.bodies.column_mut(body::age)[0] += 1.5;
/// sky.write_back()?;
/// assert_eq!(sun.borrow().age, Duration::from_millis(3500));
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "objects of type `{Self}` cannot be traced",
    label = "not under `#[derive(Trace)]` with a class",
    note = "add `#[derive(Trace)] #[trace(class = Class)]` to a struct of yours; leave the field out by `#[trace(skip)]`"
)]
pub trait Trace: TraceObject<Link = Link<Self::Class>> {
    /// The class of its objects.
    type Class: Class;
}

/// An ordinary type whose objects become objects of one class or, if it is an enum, of one class per variant.
/// `#[derive(Trace)]` implements it; so do a `RefCell`, a `Mutex` and an `RwLock` of such a type.
///
/// ```
/// use std::cell::RefCell;
/// use std::rc::Rc;
/// use ikra::{prelude::*, trace::{Trace, TraceObject, TraceWorld}};
///
/// #[soa_class]
/// pub struct Circle { pub radius: f32 }
/// #[soa_class]
/// pub struct Rect { pub width: f32, pub height: f32 }
/// #[soa_dispatch(Circle, Rect)]
/// pub trait Shape { #[kernel] fn grow(&mut self); }
/// #[soa_methods]
/// impl Shape for Circle { fn grow(&mut self) { self.radius *= 2.0; } }
/// #[soa_methods]
/// impl Shape for Rect { fn grow(&mut self) { self.width *= 2.0; self.height *= 2.0; } }
/// #[soa_world]
/// pub struct Picture { pub circles: Objects<Circle>, pub rects: Objects<Rect> }
///
/// #[derive(Debug, PartialEq, Trace)]
/// #[trace(link = Shape)]
/// enum PlainShape {
///     #[trace(class = Circle)]
///     Circle { radius: f32 },
///     #[trace(class = Rect)]
///     Rect(#[trace(field = width)] f32, #[trace(field = height)] f32),
/// }
///
/// fn link_of<X: TraceObject<Link = ShapeLink>>(picture: &ikra::trace::Traced<Picture>, object: &Rc<X>) -> ShapeLink {
///     picture.link_to(object).expect("it was traced")
/// }
///
/// # fn main() -> Result<(), ikra::trace::TraceError> {
/// let shape = Rc::new(RefCell::new(PlainShape::Rect(1.0, 2.0)));
/// let mut picture = Picture::trace(&shape)?;
/// assert!(matches!(link_of(&picture, &shape).class(), ShapeIs::Rect(_)));
/// picture.execute(Shape::grow, ());
/// picture.write_back()?;
/// assert_eq!(*shape.borrow(), PlainShape::Rect(2.0, 4.0));
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "objects of type `{Self}` cannot be traced",
    label = "not under `#[derive(Trace)]` with a class",
    note = "add `#[derive(Trace)] #[trace(class = Class)]` to a struct of yours, or `#[trace(link = Trait)]` to an enum"
)]
pub trait TraceObject: Any {
    /// The links that its objects become: `Link<Body>` for a struct, `ShapeLink` for an enum.
    type Link: Copy + Into<UntypedLink>;
    /// Whether objects differ in their class.
    #[doc(hidden)]
    const IS_ENUM: bool = false;

    /// The number of the object's variant.
    #[doc(hidden)]
    fn variant(&self) -> Result<usize, Problem> {
        Ok(0)
    }
    /// Adds an object of this variant to its class.
    #[doc(hidden)]
    fn hold(variant: usize, entry: NewObject<'_>) -> Result<UntypedLink, Problem>
    where
        Self: Sized;
    /// The link, with its type.
    #[doc(hidden)]
    fn link(link: UntypedLink) -> Result<Self::Link, Problem>
    where
        Self: Sized;
    /// Stores the object's row. Objects that it refers to become known, and those that it owns are visited later.
    #[doc(hidden)]
    fn trace<'o>(&'o self, link: UntypedLink, tracer: &mut Tracer<'o, '_>) -> Result<(), At>;
    /// Writes the fields that have changed, and notes the objects that it owns.
    #[doc(hidden)]
    fn write<'o>(&'o self, link: UntypedLink, back: &mut Back<'o, '_>) -> Result<(), At>;
    /// The same for an object that is not shared.
    #[doc(hidden)]
    fn write_mut<'o>(&'o mut self, link: UntypedLink, back: &mut Back<'o, '_>) -> Result<(), At>;
}

/// The value behind a lock that nobody holds.
pub(crate) fn free<G>(result: TryLockResult<G>) -> Result<G, Problem> {
    result.map_err(|error| match error {
        TryLockError::WouldBlock => Problem::Borrowed,
        TryLockError::Poisoned(_) => Problem::Poisoned,
    })
}

/// The value of a lock that is borrowed exclusively.
pub(crate) fn sound<G>(result: LockResult<G>) -> Result<G, Problem> {
    result.map_err(|_: PoisonError<G>| Problem::Poisoned)
}

/// Cells whose guards last for one visit.
macro_rules! cells {
    ($($cell:ident: $read:expr, $write:expr, $get_mut:expr;)*) => { $(
        impl<T: Trace> Trace for $cell<T> {
            type Class = T::Class;
        }

        impl<T: TraceObject> TraceObject for $cell<T> {
            type Link = T::Link;
            const IS_ENUM: bool = T::IS_ENUM;

            fn variant(&self) -> Result<usize, Problem> {
                if T::IS_ENUM { $read(self)?.variant() } else { Ok(0) }
            }
            fn hold(variant: usize, entry: NewObject<'_>) -> Result<UntypedLink, Problem> {
                T::hold(variant, entry)
            }
            fn link(link: UntypedLink) -> Result<T::Link, Problem> {
                T::link(link)
            }
            fn trace<'o>(&'o self, link: UntypedLink, tracer: &mut Tracer<'o, '_>) -> Result<(), At> {
                let guard = $read(self)?;
                let mut inner = tracer.inner();
                guard.trace(link, &mut inner)?;
                Ok(inner.finish()?)
            }
            fn write<'o>(&'o self, link: UntypedLink, back: &mut Back<'o, '_>) -> Result<(), At> {
                let mut guard = $write(self)?;
                let mut inner = back.inner();
                guard.write_mut(link, &mut inner)?;
                Ok(inner.finish()?)
            }
            fn write_mut<'o>(&'o mut self, link: UntypedLink, back: &mut Back<'o, '_>) -> Result<(), At> {
                $get_mut(self)?.write_mut(link, back)
            }
        }
    )* };
}

cells! {
    RefCell:
        (|cell| RefCell::<T>::try_borrow(cell).map_err(|_| Problem::Borrowed)),
        (|cell| RefCell::<T>::try_borrow_mut(cell).map_err(|_| Problem::Borrowed)),
        (|cell| Ok::<_, Problem>(RefCell::<T>::get_mut(cell)));
    Mutex:
        (|cell| free(Mutex::<T>::try_lock(cell))),
        (|cell| free(Mutex::<T>::try_lock(cell))),
        (|cell| sound(Mutex::<T>::get_mut(cell)));
    RwLock:
        (|cell| free(RwLock::<T>::try_read(cell))),
        (|cell| free(RwLock::<T>::try_write(cell))),
        (|cell| sound(RwLock::<T>::get_mut(cell)));
}
