// A link to a struct that is no class.
use ikra::prelude::*;

pub struct Cell {
    pub alive: bool,
}

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub field: Link<Cell>,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn grow(&mut self) {
        self.mass += 1.0;
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
