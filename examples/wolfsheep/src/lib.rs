//! Wolves, sheep and grass, by the rules of the "ABM frameworks comparison".
//!
//! - [`model`]: the classes, in which all animals of a kind act at once;
//! - [`Field`]: a world of them, step by step;
//! - [`Twin`]: the same rules and random numbers in plain sequential Rust, to check against;
//! - [`InTurn`]: the same rules for animals that act one after another in random order.
#![forbid(unsafe_code)]

mod counts;
mod field;
mod in_turn;
pub mod model;
mod parameters;
mod twin;

pub use counts::Counts;
pub use field::{Cell, Field};
pub use in_turn::{InTurn, Order};
pub use parameters::{Animal, Parameters, Start};
pub use twin::Twin;
