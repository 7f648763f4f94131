//! Ordinary objects as objects of a world: the object tracer of Ikra-Ruby. The feature `trace` of the
//! [`ikra`](https://docs.rs/ikra) crate provides it.
//!
//! | item | |
//! | --- | --- |
//! | [`Trace`](derive@Trace) | says which class the objects of an ordinary struct become, or of each variant of an enum |
//! | [`TraceWorld::trace`] | finds all objects that can be reached, and makes a world of them |
//! | [`Traced::write_back`] | writes what kernels changed into the same objects |
//!
//! ```
//! use std::cell::RefCell;
//! use std::rc::{Rc, Weak};
//! use ikra::{prelude::*, trace::{Trace, TraceWorld}};
//!
//! // The ordinary program.
//! #[derive(Trace)]
//! #[trace(class = Street)]
//! struct PlainStreet { limit: f32, cars: RefCell<Vec<Rc<RefCell<PlainCar>>>> }
//!
//! #[derive(Trace)]
//! #[trace(class = Car)]
//! struct PlainCar { name: String, speed: f32, street: Weak<PlainStreet> }
//!
//! // The classes.
//! #[soa_class]
//! pub struct Street { pub limit: f32, #[inline_array(2)] pub cars: InnerArray<Link<Car>> }
//! #[soa_class]
//! pub struct Car { pub name: u32, pub speed: f32, pub street: Link<Street> }
//!
//! #[soa_methods]
//! impl Car {
//!     #[kernel]
//!     pub fn accelerate(&mut self) { self.speed = (self.speed + 5.0).min(self.street.limit()); }
//! }
//! #[soa_world]
//! pub struct Town { pub streets: Objects<Street>, pub cars: Objects<Car> }
//!
//! # fn main() -> Result<(), ikra::trace::TraceError> {
//! let street = Rc::new(PlainStreet { limit: 50.0, cars: RefCell::default() });
//! for (name, speed) in [("red", 30.0), ("blue", 48.0)] {
//!     let car = PlainCar { name: name.into(), speed, street: Rc::downgrade(&street) };
//!     street.cars.borrow_mut().push(Rc::new(RefCell::new(car)));
//! }
//! let mut town = Town::trace(&street)?;
//! town.execute(Car::accelerate, ());
//! town.write_back()?;
//! let speeds: Vec<_> = street.cars.borrow().iter().map(|car| car.borrow().speed).collect();
//! assert_eq!(speeds, [35.0, 50.0]);
//! # Ok(()) }
//! ```
//!
//! Depend on `ikra`, not on this crate: `ikra::trace` re-exports all items.

#![warn(unreachable_pub)]
#![forbid(unsafe_code)]

mod back;
mod code;
mod error;
mod field;
mod graph;
mod held;
mod object;
mod pointers;
mod store;
mod traced;
mod tracer;
mod trait_objects;

pub use error::{Problem, TraceError};
pub use field::TraceField;
pub use graph::AddressHasher;
pub use ikra_macros::Trace;
pub use object::{Trace, TraceObject};
pub use pointers::{Pointer, Refers};
pub use traced::{Roots, TraceWorld, Traced};
pub use trait_objects::{TraceAny, TraceAs};

/// Items for the macro's code.
#[doc(hidden)]
pub mod rt;

/// The examples of the page on ordinary objects.
#[cfg(doctest)]
#[doc = include_str!("../../docs/trace.md")]
struct OrdinaryObjects;
