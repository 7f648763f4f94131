//! What would be right in an ordinary method.
use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub heat: f32,
    #[atomic]
    pub visits: u32,
    #[atomic]
    pub taken: bool,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn warm(&mut self, by: f32) {
        self.heat += by;
    }
    #[kernel]
    pub fn assign(&mut self) {
        self.visits += 1;
        self.visits = 0;
        self.taken |= self.heat > 1.0;
    }
    #[kernel]
    pub fn compare(&mut self) {
        if self.taken {
            self.heat = self.visits as f32;
        }
        if !self.taken && self.visits == 3 {
            self.heat = 0.0;
        }
    }
    #[kernel]
    pub fn replace(&mut self) {
        *self = Self { heat: 0.0, visits: 0, taken: false };
    }
    #[kernel]
    pub fn delegate(&mut self) {
        Self::warm(self, 1.0);
        Cell::warm(self, 1.0);
    }
    #[kernel(snapshot("heat"))]
    pub fn quoted(&mut self) {
        self.heat = 0.0;
    }
    // Right: what the macro must leave alone.
    #[kernel]
    pub fn right(&mut self) {
        let (visits, taken) = (self.visits, self.taken);
        visits.store(visits.load() + 1);
        if !taken.load() && !self.taken.load() && self.visits.load() as f32 > self.heat {
            self.taken.store(true);
        }
    }
}

#[soa_world]
pub struct Grid {
    pub cells: Objects<Cell>,
}

fn main() {
    Grid::new().execute(Cell::warm, 1.0);
}
