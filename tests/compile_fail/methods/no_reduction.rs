// Reductions of kernels that name no reducer, or others.
use ikra::Place;
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn energy(&self) -> f32 {
        self.mass
    }
    #[kernel(reduce(Sum, Max))]
    pub fn weight(&self) -> f32 {
        self.mass
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() -> Result<(), ikra::Error> {
    let mut sim = Sim::new();
    let links = [Link::<Body>::from_index(0).unwrap()];
    let all: f32 = sim.execute_and_reduce(Body::energy, (), Sum);
    let some = sim.execute_range_and_reduce(Body::energy, 0..1, (), Sum);
    let each = sim.execute_each_and_reduce(Body::energy, &links, (), Sum)?;
    let least = sim.execute_and_reduce(Body::weight, (), Min);
    let mut on = sim.on(Place::Host);
    let there = on.execute_and_reduce(Body::energy, (), Sum)? + on.execute_each_and_reduce(Body::energy, &links, (), Sum)?;
    println!("{all} {some} {each} {least} {there}");
    Ok(())
}
