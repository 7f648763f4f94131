//! The copy of an object in faster memory than its columns: the host has none.

pub use crate::near::{NoRow, NoRow as TileRow};
