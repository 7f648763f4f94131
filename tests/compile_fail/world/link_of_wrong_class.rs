// A link to an object of another class.
use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub alive: bool,
}

#[soa_class]
pub struct Agent {
    pub place: Link<Cell>,
}

#[soa_world]
pub struct Sim {
    pub agents: Objects<Agent>,
    pub cells: Objects<Cell>,
}

fn main() {
    let mut sim = Sim::new();
    let cell = sim.cells.push(Cell { alive: true }).unwrap();
    let agent = sim.agents.push(Agent { place: cell }).unwrap();
    sim.agents.push(Agent { place: agent }).unwrap();
}
