// A capacity that is no number.
use ikra::prelude::*;

#[soa_class(capacity = "many")]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
