use ikra::prelude::*;

#[soa_class]
struct Body { #[soa(flatten)] count: u32 }

fn main() {}
