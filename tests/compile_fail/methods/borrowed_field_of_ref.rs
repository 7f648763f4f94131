use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub x: f32,
    pub next: Option<Link<Cell>>,
}

#[soa_methods]
impl Cell {
    pub fn place(&self) -> &f32 {
        &self.x
    }
}

#[soa_world]
pub struct Grid {
    pub cells: Objects<Cell>,
}

fn main() {
    let grid = Grid::new();
    let first = grid.cells.links().next().unwrap();
    println!("{}", grid.get(first).place());
}
