// An option without its value.
use ikra::prelude::*;

#[soa_class(layout)]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
