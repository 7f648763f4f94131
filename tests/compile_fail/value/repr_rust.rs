// A representation that fixes nothing.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(align(16))]
pub struct Vec2 {
    pub x: f32,
    pub y: f32,
}

fn main() {}
