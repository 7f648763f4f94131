use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub mass: f32,
    #[inline_array(0)]
    pub marks: InnerArray<[u8; 0]>,
}

#[soa_world]
pub struct Grid {
    pub cells: Objects<Cell>,
}

fn main() {
    Grid::new();
}
