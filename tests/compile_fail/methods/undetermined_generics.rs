use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub x: f32,
    pub next: Option<Link<Cell>>,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn add<const N: u32>(&mut self) {
        self.x += N as f32;
    }
    #[kernel(pairs)]
    pub fn meet<T: Default + Into<f32>>(&mut self, _other: Ref<Cell>) {
        self.x += T::default().into();
    }
}

#[soa_world]
pub struct Grid {
    pub cells: Objects<Cell>,
}

fn main() {
    let mut grid = Grid::new();
    grid.execute(Cell::add, ());
    grid.execute_pairs(Cell::meet, ());
}
