// An addressing mode that does not exist.
use ikra::prelude::*;

#[soa_class(addressing = "direct")]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
