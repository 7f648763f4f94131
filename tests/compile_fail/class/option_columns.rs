// A name that is none.
use ikra::prelude::*;

#[soa_class(columns = "body columns")]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
