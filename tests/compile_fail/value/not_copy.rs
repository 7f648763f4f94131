// A struct that is not `Copy`.
use ikra::prelude::*;

#[derive(Value)]
#[repr(C)]
pub struct Vec2 {
    pub x: f32,
    pub y: f32,
}

fn main() {}
