use ikra::prelude::*;

#[soa_methods]
struct Body { mass: f32 }

fn main() {}
