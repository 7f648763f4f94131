// Options.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
}

#[soa_world(threads = 2)]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
