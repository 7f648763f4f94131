//! Where an object may be nearer than in its columns: nowhere.

pub use crate::near::{NoRow, NoRow as TileRow};
