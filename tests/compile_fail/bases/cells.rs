use ikra::prelude::*;

#[soa_class]
pub struct Cell { pub size: f32, #[atomic] pub hits: u32 }

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn grow(&mut self, by: f32) { self.size += by; }
    #[kernel]
    pub fn area(&self) -> f32 { self.size * self.size }
    #[kernel(reduce(Sum))]
    pub fn width(&self) -> f32 { self.size }
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Cell>) { let _ = other; }
    #[kernel]
    pub fn spawn(id: u32, size: f32) -> Self { Self { size: size + id as f32, hits: 0 } }
}

#[soa_class(layout = "aos")]
pub struct Row { pub size: f32 }

#[soa_methods]
impl Row {
    #[kernel]
    pub fn grow(&mut self) { self.size += 1.0; }
}

#[soa_world]
pub struct Sim { pub cells: Objects<Cell>, pub rows: Objects<Row> }

#[soa_world]
pub struct Small { pub cells: Objects<Cell> }

fn main() {
    let mut sim = Sim::new();
    sim.execute(Cell::grow, 1.0);
}
