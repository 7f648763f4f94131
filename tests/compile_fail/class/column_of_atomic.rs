// A slice of a field that may change while it is borrowed.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    #[atomic]
    pub hits: u32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let sim = Sim::new();
    println!("{:?}", sim.bodies.column(body::hits));
}
