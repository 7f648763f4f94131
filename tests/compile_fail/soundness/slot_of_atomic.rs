use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    #[atomic]
    #[inline_array]
    pub counts: [u32; 4],
}

#[soa_world]
pub struct Grid {
    pub cells: Objects<Cell>,
}

fn main() {
    let grid = Grid::new();
    let shared: &[u32] = grid.cells.slot(cell::counts, 0);
    println!("{shared:?}");
}
