//! Conway's game of life with an object per living cell: it comes and goes. The squares of the torus count the living
//! around them, and make new cells.

use ikra::prelude::*;

/// A square of the torus.
#[soa_class]
pub struct Square {
    /// Whether a cell lives here.
    pub is_taken: bool,
    /// The number of living cells around.
    #[atomic]
    pub near: u32,
    /// Its neighbours.
    #[inline_array(object)]
    pub around: [Link<Square>; 8],
}

#[soa_methods]
impl Square {
    /// A cell comes to life beside three others.
    #[kernel]
    pub fn fill(&mut self, young: Spawn<Cell>) {
        let near = self.near.load();
        self.near.store(0);
        if near == 3 && !self.is_taken {
            young.push(Cell { square: self.link() });
        }
        self.is_taken = near == 3 || self.is_taken && near == 2;
    }
}

/// A living cell.
#[soa_class(compact = 1.0)]
pub struct Cell {
    /// Where it lives.
    pub square: Link<Square>,
}

#[soa_methods]
impl Cell {
    /// All squares around know that it lives.
    #[kernel]
    pub fn tell(&mut self) {
        for square in self.square.around() {
            square.near().add(1);
        }
    }

    /// Dies beside too few or too many others.
    #[kernel]
    pub fn age(&mut self) {
        if !matches!(self.square.near().load(), 2 | 3) {
            self.remove();
        }
    }
}

/// The torus.
#[soa_world]
pub struct Colony {
    /// All squares.
    pub squares: Objects<Square>,
    /// The living cells.
    pub cells: Objects<Cell>,
}
