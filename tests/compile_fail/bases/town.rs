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
    #[kernel]
    pub fn step(&mut self) {
        self.cell.hits().add(1);
    }
}

fn main() {
    let mut town = Town::new();
    town.execute(Agent::step, ());
}
