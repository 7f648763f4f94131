use ikra::prelude::*;

#[soa_class]
struct Body { #[atomic] count: u8 }

fn main() {}
