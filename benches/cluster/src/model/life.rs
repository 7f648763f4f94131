//! Cells of Conway's game of life, as in `examples/life`, made by a kernel.

use ikra::prelude::*;
use ikra::rng::Random;

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
    /// The cell with this number of a square torus, alive with probability 0.4.
    #[kernel]
    pub fn spawn(id: u32, side: u32) -> Self {
        let (x, y) = (id / side, id % side);
        let (left, right) = ((x + side - 1) % side * side, (x + 1) % side * side);
        let (above, below) = ((y + side - 1) % side, (y + 1) % side);
        let here = x * side;
        let all =
            [left + above, left + y, left + below, here + above, here + below, right + above, right + y, right + below];
        let first = Link::from_index(0);
        let around = core::array::from_fn(|n| match (Link::from_index(all[n] as usize), first) {
            (Some(link), _) | (None, Some(link)) => link,
            (None, None) => unreachable!(),
        });
        Self { alive: Random::new(7, id, 0).chance(0.4), around }
    }

    /// Lives on, dies, or is born.
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
    /// The cells, column by column.
    pub cells: Objects<Cell>,
}
