//! Reports on the storage of Ikra's classes, and advice on making it smaller. The feature `report` of the
//! [`ikra`](https://docs.rs/ikra) crate provides it.
//!
//! | type | contents |
//! | --- | --- |
//! | [`WorldLayout`], [`ClassLayout`], [`ColumnLayout`] | the position of each column in memory: as data, as a table, as a drawing |
//! | [`InliningAdvice`], [`InliningChoice`] | the number of slots of an inner array to inline |
//!
//! Depend on `ikra`, not on this crate: `ikra::report` re-exports all items.

#![warn(unreachable_pub)]

mod advice;
mod layout;

pub use advice::{InliningAdvice, InliningChoice};
pub use layout::{ClassLayout, ColumnLayout, WorldLayout};
