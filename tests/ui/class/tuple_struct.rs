use ikra::prelude::*;

#[soa_class]
struct Body(f32);

fn main() {}
