// A layout that does not exist.
use ikra::prelude::*;

#[soa_class(layout = "csr")]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
