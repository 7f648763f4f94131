// A kernel with a `usize` among its arguments, or as its result, at any place.
use ikra::Place;
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub hits: u32,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn hit(&mut self, times: u32, most: usize) {
        self.hits = (self.hits + times).min(most as u32);
    }
    #[kernel(reduce(Sum))]
    pub fn counted(&self) -> usize {
        self.hits as usize
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() -> Result<(), ikra::Error> {
    let mut sim = Sim::new();
    // On the host both run.
    sim.execute(Body::hit, (1, 2));
    assert_eq!(sim.execute_and_reduce(Body::counted, (), Sum), 0);

    sim.on(Place::Host).execute(Body::hit, (1, 2))?;
    assert_eq!(sim.on(Place::Host).execute_and_reduce(Body::counted, (), Sum)?, 0);
    Ok(())
}
