// A struct whose fields Rust may order as it likes.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
pub struct Vec2 {
    pub x: f32,
    pub y: f32,
}

fn main() {}
