// A function.
use ikra::prelude::*;

#[soa_class]
pub fn body() {}

fn main() {}
