// A class that can hold no object.
use ikra::prelude::*;

#[soa_class(capacity = 0)]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
