use ikra::prelude::*;

#[soa_class]
pub struct Cell { pub size: f32 }

#[soa_world]
pub struct Sim { pub red: Objects<Cell>, pub blue: Objects<Cell> }

fn main() {}
