// A column of a class that has none.
use ikra::prelude::*;

#[soa_class(layout = "aos")]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let sim = Sim::new();
    println!("{:?}", sim.bodies.column(body::mass));
}
