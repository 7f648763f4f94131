// A world without classes.
use ikra::prelude::*;

#[soa_world]
pub struct Sim {}

fn main() {}
