use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
struct Vec3 { x: f32 }

#[derive(Clone, Copy, Value)]
enum Kind { A, B }

fn main() {}
