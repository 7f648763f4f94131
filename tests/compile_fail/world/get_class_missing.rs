// A link of a class that is not in the world.
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
}

fn main() {
    let sim = Sim::new();
    let link: Link<Cell> = Link::from_id(1).unwrap();
    println!("{:?}", sim.get(link).alive());
}
