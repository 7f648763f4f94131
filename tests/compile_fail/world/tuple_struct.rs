// A world whose fields have no names.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub struct Sim(Objects<Body>);

fn main() {}
