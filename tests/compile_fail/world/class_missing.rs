// A kernel of a class that is not in the world.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
}

#[soa_class]
pub struct Cell {
    pub alive: bool,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn flip(&mut self) {
        self.alive = !self.alive;
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let mut sim = Sim::new();
    sim.execute(Cell::flip, ());
}
