//! How the storage of Ikra's classes looks, and how it could be smaller: behind the feature `report` of the
//! [`ikra`](https://docs.rs/ikra) crate.
//!
//! | type | what it says |
//! | --- | --- |
//! | [`WorldLayout`], [`ClassLayout`], [`ColumnLayout`] | where each column lies in memory: as data, as a table, as a drawing |
//! | [`InliningAdvice`], [`InliningChoice`] | how many slots of an inner array to inline |
//!
//! Depend on `ikra`, not on this crate: `ikra::report` has all that is here.

#![warn(unreachable_pub)]

mod advice;
mod layout;

pub use advice::{InliningAdvice, InliningChoice};
pub use layout::{ClassLayout, ColumnLayout, WorldLayout};
