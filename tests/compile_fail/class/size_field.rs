use ikra::prelude::*;

#[soa_class]
struct Body { count: usize }

fn main() {}
