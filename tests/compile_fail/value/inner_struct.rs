// A field whose type is no value.
use ikra::prelude::*;

#[derive(Clone, Copy)]
pub struct Vec2 {
    pub x: f32,
    pub y: f32,
}

#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct Segment {
    pub from: Vec2,
    pub to: Vec2,
}

fn main() {}
