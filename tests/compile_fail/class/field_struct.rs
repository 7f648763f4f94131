// A struct without `derive(Value)`.
use ikra::prelude::*;

#[derive(Clone, Copy)]
pub struct Vec2 {
    pub x: f32,
    pub y: f32,
}

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub field: Vec2,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn grow(&mut self) {
        self.mass += 1.0;
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
