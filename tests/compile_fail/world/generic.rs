// A generic world.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim<T> {
    pub bodies: Objects<T>,
}

fn main() {}
