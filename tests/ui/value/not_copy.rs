use ikra::prelude::*;

#[derive(Value)]
#[repr(C)]
struct Vec3 { x: f32 }

fn main() {}
