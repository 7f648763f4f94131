// The same class twice.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub stars: Objects<Body>,
    pub planets: Objects<Body>,
}

fn main() {}
