use ikra::prelude::*;

#[soa_class]
struct Body<T> { mass: T }

fn main() {}
