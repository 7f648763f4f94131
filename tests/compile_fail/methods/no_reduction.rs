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
    let some = sim.over(0..1).execute_and_reduce(Body::energy, (), Sum);
    let each = sim.over(&links).execute_and_reduce(Body::energy, (), Sum);
    let least = sim.execute_and_reduce(Body::weight, (), Min);
    let mut on = sim.on(Place::Host);
    let there = on.execute_and_reduce(Body::energy, (), Sum)? + on.over(&links).execute_and_reduce(Body::energy, (), Sum)?;
    println!("{all} {some} {each} {least} {there}");
    Ok(())
}
