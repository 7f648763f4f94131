// Not a list of options.
use ikra::prelude::*;

#[soa_class("aos")]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
