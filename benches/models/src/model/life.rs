//! Conway's game of life on cells that are linked to their eight neighbours, as in `examples/life`, with a cell's links side by side.

use ikra::prelude::*;

/// A cell.
#[soa_class]
pub struct Cell {
    /// Whether it is alive.
    pub alive: bool,
    /// Its neighbours.
    #[inline_array(object)]
    pub around: [Link<Cell>; 8],
}

#[soa_methods]
impl Cell {
    /// Everybody sees who was alive before this generation.
    #[kernel(snapshot(alive))]
    pub fn live(&mut self) {
        let neighbours = self.around.iter().filter(|cell| cell.alive()).count();
        self.alive = neighbours == 3 || self.alive && neighbours == 2;
    }
}

/// The torus.
#[soa_world]
pub struct Torus {
    /// All cells.
    pub cells: Objects<Cell>,
}
