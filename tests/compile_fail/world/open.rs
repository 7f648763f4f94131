use ikra::prelude::*;

#[soa_class]
pub struct Cell { pub size: f32 }

#[soa_class]
pub struct Car { pub cell: Link<Cell> }

#[soa_world]
pub struct Sim { pub cars: Objects<Car> }

fn main() {}
