use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub mass: f32,
    #[inline_array(object)]
    pub marks: [[u8; 0]; 4],
}

#[soa_world]
pub struct Grid {
    pub cells: Objects<Cell>,
}

fn main() {
    Grid::new();
}
