// A tile size for a layout without tiles.
use ikra::prelude::*;

#[soa_class(tile = 128)]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
