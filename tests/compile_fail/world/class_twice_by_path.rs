// The same class twice, spelt differently.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub stars: Objects<Body>,
    pub planets: Objects<self::Body>,
}

fn main() {}
