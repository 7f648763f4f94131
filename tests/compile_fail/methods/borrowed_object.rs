use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub x: f32,
    pub next: Option<Link<Cell>>,
}

#[soa_methods]
impl Cell {
    pub fn distance(&self, other: &Self) -> f32 {
        self.x - other.x
    }
    #[kernel]
    pub fn go(&mut self) {
        if let Some(next) = &self.next {
            self.x = self.distance(next) + self.distance(&next);
        }
    }
    #[kernel]
    pub fn meet(&mut self, other: &Self, by: f32) {
        self.x = by * other.x;
    }
}

#[soa_world]
pub struct Grid {
    pub cells: Objects<Cell>,
}

fn main() {
    let mut grid = Grid::new();
    grid.execute(Cell::go, ());
    let first = grid.cells.links().next().unwrap();
    grid.get(first).distance(&grid.get(first));
}
