// A misspelt option.
use ikra::prelude::*;

#[soa_class(layuot = "aos")]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
