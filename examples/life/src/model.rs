//! The cells. Compiled for the host and for the GPU.

use ikra::prelude::*;

/// A cell of the torus.
#[soa_class]
pub struct Cell {
    /// Whether it is alive.
    pub alive: bool,
    /// Its eight neighbours.
    #[inline_array]
    pub around: [Link<Cell>; 8],
}

#[soa_methods]
impl Cell {
    /// Lives on, dies, or is born. Everybody sees who was alive before this generation.
    #[kernel(snapshot(alive))]
    pub fn live(&mut self) {
        let neighbours = self.around.iter().filter(|cell| cell.alive()).count();
        self.alive = neighbours == 3 || self.alive && neighbours == 2;
    }

    /// How many cells are alive.
    #[kernel(reduce(Sum))]
    pub fn count(&self) -> u64 {
        u64::from(self.alive)
    }
}

/// A torus of cells.
#[soa_world]
pub struct Torus {
    /// The cells, row by row.
    pub cells: Objects<Cell>,
}
