// A link to a class that is not in the world.
use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub alive: bool,
}

#[soa_class]
pub struct Agent {
    pub place: Option<Link<Cell>>,
}

#[soa_world]
pub struct Sim {
    pub agents: Objects<Agent>,
}

fn main() {}
