//! Conway's game of life, one kernel per generation: each cell reads its neighbours' state from before the kernel.

use ikra::prelude::*;

/// A cell.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Cell {
    /// Whether it is alive.
    pub alive: bool,
    /// The eight cells around it.
    pub around: [Link<Cell>; 8],
}

#[soa_methods]
impl Cell {
    /// One generation.
    #[kernel(snapshot(alive))]
    pub fn live(&mut self) {
        let neighbours = self.around.iter().filter(|cell| cell.alive()).count();
        self.alive = neighbours == 3 || self.alive && neighbours == 2;
    }

    /// 1 for a living cell.
    #[kernel(reduce(Sum))]
    pub fn count(&self) -> u32 {
        u32::from(self.alive)
    }
}

/// A torus of cells.
#[soa_world]
#[derive(Debug)]
pub struct Torus {
    /// The cells, row by row.
    pub cells: Objects<Cell>,
}

impl Torus {
    /// A torus with these cells alive.
    ///
    /// # Errors
    ///
    /// If memory runs out.
    pub fn with(width: usize, height: usize, alive: &[(usize, usize)]) -> Result<Self, ikra::Error> {
        let mut torus = Self::new();
        let links: Vec<Link<Cell>> = torus.cells.reserve(width * height)?.collect();
        for y in 0..height {
            for x in 0..width {
                let at =
                    |dx: usize, dy: usize| links[(y + height + dy - 1) % height * width + (x + width + dx - 1) % width];
                let around = [at(0, 0), at(1, 0), at(2, 0), at(0, 1), at(2, 1), at(0, 2), at(1, 2), at(2, 2)];
                torus.cells.init(links[y * width + x], Cell { alive: alive.contains(&(x, y)), around })?;
            }
        }
        Ok(torus)
    }
}
