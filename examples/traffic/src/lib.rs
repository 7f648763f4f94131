//! Traffic flow on street networks: the Nagel–Schreckenberg model on cells, with lights and signs at junctions (INNER §4).
//!
//! A street is a row of cells, each of which holds a car or is free. [`Roads`] are the cells of a network or of a ring.
//! [`Traffic`] is cars on roads, moved step by step on the host's cores or on a GPU, with the same result bit for bit.
//!
//! ```
//! use ikra::Place;
//! use streets::City;
//! use traffic::{Parameters, Traffic};
//!
//! # fn main() -> Result<(), traffic::TrafficError> {
//! let network = City { junctions: 100, ..City::default() }.build();
//! let mut traffic = Traffic::new(&network, &Parameters { cars: 300, ..Parameters::default() })?;
//! for _ in 0..10 {
//!     traffic.step(Place::Host, 1)?;
//!     traffic.check()?;
//! }
//! let statistics = traffic.statistics(Place::Host)?;
//! assert!(statistics.mean_velocity > 0.0 && statistics.density < 1.0);
//! let car = traffic.cars().next().unwrap();
//! println!("{:?}", network.position_on(car.street, car.metres));
//! # Ok(()) }
//! ```
//!
//! A step is four kernels. [`Traffic::step`] records 64 steps and runs the recording again and again.
//!
//! Cars are numbered in the order of their first cells, and cells street by street, so that neighbours are close in
//! memory.
//!
//! Two things differ from the paper. A red light holds the cars on a street's last cell, which they may enter; in the
//! paper, the cell has a speed limit of 0, and cars stop before it. And without a controller, if several cars want to
//! enter a cell, the car with the smallest number does.
#![forbid(unsafe_code)]

mod check;
mod export;
pub mod model;
mod parameters;
mod roads;
mod rows;
#[cfg(test)]
mod tests;
mod traffic;

pub use check::Violation;
pub use export::ImportError;
pub use parameters::{Lights, Parameters};
pub use roads::{Roads, RoadsError};
pub use traffic::{CarState, LightState, Statistics, Traffic, TrafficError};
