//! Methods that no block defines: they belong to a trait for the view.

use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub n: u32,
    pub m: u32,
}

trait Tidy {
    fn tidy(&mut self);
}
impl<P: ikra::Phase> Tidy for CellMut<'_, P> {
    fn tidy(&mut self) {
        self.n = self.m;
    }
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn clean(&mut self) {
        self.tidy();
    }
}

#[soa_world]
pub struct Cells {
    pub cells: Objects<Cell>,
}

#[test]
fn trait_methods() {
    let mut cells = Cells::new();
    let cell = cells.cells.push(Cell { n: 1, m: 2 }).unwrap();
    cells.execute(Cell::clean, ());
    assert_eq!(cells.get(cell).n(), 2);
}
