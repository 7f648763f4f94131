// A guard kept while the world is used.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let mut sim = Sim::new();
    let link = sim.bodies.push(Body { mass: 1.0 }).unwrap();
    let body = sim.get(link);
    sim.get_mut(link).mass = 2.0;
    println!("{}", body.mass());
}
