// A slice of a field that is stored in several columns.
use ikra::prelude::*;

#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Vec2 {
    pub x: f32,
    pub y: f32,
}

#[soa_class]
pub struct Body {
    #[soa(flatten)]
    pub pos: Vec2,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let sim = Sim::new();
    println!("{:?}", sim.bodies.column(body::pos));
}
