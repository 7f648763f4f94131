// An enum.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
}

#[soa_world]
pub enum Sim {
    Bodies(Objects<Body>),
}

fn main() {}
