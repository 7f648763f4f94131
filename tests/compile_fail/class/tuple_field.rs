use ikra::prelude::*;

#[soa_class]
struct Body { pair: (f32, f32) }

fn main() {}
