// A column of another class.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
}

#[soa_class]
pub struct Cell {
    pub alive: bool,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
    pub cells: Objects<Cell>,
}

fn main() {
    let sim = Sim::new();
    println!("{:?}", sim.bodies.column(cell::alive));
}
