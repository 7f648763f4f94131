//! Where an object may be nearer than in its columns: nowhere.

pub use crate::tile_row::NoRow as TileRow;
