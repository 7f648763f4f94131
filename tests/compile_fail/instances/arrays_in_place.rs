use ikra::Place;
use ikra::prelude::*;

#[soa_class]
pub struct Path {
    #[inline_array(2)]
    pub steps: InnerArray<u32>,
}

#[soa_methods]
impl Path {
    #[kernel]
    pub fn spawn(id: u32) -> Self {
        Self { steps: [id].into_iter().collect() }
    }
}

#[soa_world]
pub struct Sim {
    pub paths: Objects<Path>,
}

fn main() {
    let mut sim = Sim::new();
    sim.construct(3, Path::spawn, ()).unwrap();
    sim.on(Place::Host).construct(3, Path::spawn, ()).unwrap();
}
