//! Ordinary types whose objects become objects of a class.

use std::any::Any;
use std::cell::RefCell;
use std::sync::{LockResult, Mutex, PoisonError, RwLock, TryLockError, TryLockResult};

use ikra_core::class::Class;
use ikra_core::link::Link;

use crate::back::Back;
use crate::error::{At, Problem, TraceError};
use crate::store::Columns;
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
pub trait Trace: Any {
    /// The class of its objects.
    type Class: Class;

    /// The object's row. Objects that it refers to become known, and those that it owns are visited later.
    #[doc(hidden)]
    fn row<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<Self::Class, At>;
    /// Writes the fields in `mask`, and notes the objects that it owns.
    #[doc(hidden)]
    fn write<'o>(&'o self, link: Link<Self::Class>, mask: u64, back: &mut Back<'o, '_>) -> Result<(), At>;
    /// The same for an object that is not shared.
    #[doc(hidden)]
    fn write_mut<'o>(&'o mut self, link: Link<Self::Class>, mask: u64, back: &mut Back<'o, '_>) -> Result<(), At>;
    /// The fields that both types have.
    #[doc(hidden)]
    fn columns(columns: &mut Columns<Self::Class>)
    where
        Self: Sized;
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

            fn row<'o>(&'o self, tracer: &mut Tracer<'o, '_>) -> Result<T::Class, At> {
                let guard = $read(self)?;
                let mut inner = tracer.inner();
                let row = guard.row(&mut inner)?;
                inner.finish()?;
                Ok(row)
            }
            fn write<'o>(&'o self, link: Link<T::Class>, mask: u64, back: &mut Back<'o, '_>) -> Result<(), At> {
                let mut guard = $write(self)?;
                let mut inner = back.inner();
                guard.write_mut(link, mask, &mut inner)?;
                Ok(inner.finish()?)
            }
            fn write_mut<'o>(&'o mut self, link: Link<T::Class>, mask: u64, back: &mut Back<'o, '_>) -> Result<(), At> {
                $get_mut(self)?.write_mut(link, mask, back)
            }
            fn columns(columns: &mut Columns<T::Class>) {
                T::columns(columns);
            }
        }
    )* };
}

cells! {
    RefCell:
        |cell: &'o RefCell<T>| cell.try_borrow().map_err(|_| Problem::Borrowed),
        |cell: &'o RefCell<T>| cell.try_borrow_mut().map_err(|_| Problem::Borrowed),
        |cell: &'o mut RefCell<T>| Ok::<_, Problem>(cell.get_mut());
    Mutex:
        |cell: &'o Mutex<T>| free(cell.try_lock()),
        |cell: &'o Mutex<T>| free(cell.try_lock()),
        |cell: &'o mut Mutex<T>| sound(cell.get_mut());
    RwLock:
        |cell: &'o RwLock<T>| free(cell.try_read()),
        |cell: &'o RwLock<T>| free(cell.try_write()),
        |cell: &'o mut RwLock<T>| sound(cell.get_mut());
}

/// An object in a `Box`, of any class. It has an index because its owner was traced.
pub(crate) trait Owned {
    fn trace_owned<'o>(&'o self, index: u32, tracer: &mut Tracer<'o, '_>) -> Result<(), TraceError>;
    fn write_owned<'o>(&'o self, index: u32, back: &mut Back<'o, '_>) -> Result<(), TraceError>;
    fn write_owned_mut<'o>(&'o mut self, index: u32, back: &mut Back<'o, '_>) -> Result<(), TraceError>;
}

impl<X: Trace> Owned for X {
    fn trace_owned<'o>(&'o self, index: u32, tracer: &mut Tracer<'o, '_>) -> Result<(), TraceError> {
        let Some(link) = Link::from_index(index as usize) else { return Ok(()) };
        let row = self.row(tracer).map_err(|at| at.of(link))?;
        tracer.put(link, row)
    }
    fn write_owned<'o>(&'o self, index: u32, back: &mut Back<'o, '_>) -> Result<(), TraceError> {
        let Some(link) = Link::from_index(index as usize) else { return Ok(()) };
        self.write(link, back.mask(link), back).map_err(|at| at.of(link))
    }
    fn write_owned_mut<'o>(&'o mut self, index: u32, back: &mut Back<'o, '_>) -> Result<(), TraceError> {
        let Some(link) = Link::from_index(index as usize) else { return Ok(()) };
        self.write_mut(link, back.mask(link), back).map_err(|at| at.of(link))
    }
}
