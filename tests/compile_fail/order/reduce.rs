// In a reduction.
use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    #[atomic]
    pub hits: u32,
    #[atomic]
    pub infected: bool,
    #[atomic]
    pub head: Option<Link<Agent>>,
    #[atomic]
    pub weight: f32,
    #[atomic]
    #[inline_array]
    pub counts: [u32; 4],
}

#[soa_class]
pub struct Agent {
    pub cell: Link<Cell>,
    pub next: Option<Link<Agent>>,
    pub seen: u32,
    #[atomic]
    pub level: u32,
}

#[soa_world]
pub struct Town {
    pub cells: Objects<Cell>,
    pub agents: Objects<Agent>,
}

#[soa_methods]
impl Agent {
    #[kernel(reduce(Sum))]
    pub fn count(&self) -> u32 {
        self.cell.infected().or(true);
        u32::from(self.cell.infected().load())
    }
}

fn main() {
    let mut town = Town::new();
    town.execute_and_reduce(Agent::count, (), Sum);
}
