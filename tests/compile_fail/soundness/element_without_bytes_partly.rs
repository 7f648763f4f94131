use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub mass: f32,
    #[inline_array(2)]
    pub marks: InnerArray<[u64; 0]>,
}

#[soa_world]
pub struct Grid {
    pub cells: Objects<Cell>,
}

fn main() {
    Grid::new();
}
