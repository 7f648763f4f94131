use ikra::prelude::*;

struct Vec3 { x: f32 }

#[soa_class]
struct Body { pos: Vec3 }

fn main() {}
