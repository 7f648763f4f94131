use ikra::prelude::*;

#[soa_class]
pub struct Cell { pub size: f32 }

#[soa_world]
pub struct Sim { pub cells: Objects<Cell>, pub time: f32 }

fn main() {}
