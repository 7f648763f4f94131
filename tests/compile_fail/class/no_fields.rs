use ikra::prelude::*;

#[soa_class]
struct Body {}

fn main() {}
