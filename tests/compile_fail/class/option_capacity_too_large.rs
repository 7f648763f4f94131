// More objects than a link can tell apart.
use ikra::prelude::*;

#[soa_class(capacity = 5_000_000_000)]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
