use ikra::prelude::*;

#[soa_class]
enum Body { A }

fn main() {}
