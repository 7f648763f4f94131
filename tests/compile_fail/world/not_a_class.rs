use ikra::prelude::*;

pub struct Cell { pub size: f32 }

#[soa_world]
pub struct Sim { pub cells: Objects<Cell> }

fn main() {}
