// An option that is set twice.
use ikra::prelude::*;

#[soa_class(layout = "soa", layout = "aos")]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
