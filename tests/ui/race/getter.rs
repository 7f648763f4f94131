use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub speed: f32,
    #[atomic]
    pub hits: u32,
    pub next: Option<Link<Body>>,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn step(&mut self, other: Ref<Body>) {
        self.mass += other.mass();
    }
}

fn main() {
    let mut sim = Sim::new();
    let link = sim.bodies.push(Body { mass: 1.0, speed: 0.0, hits: 0, next: None }).unwrap();
    sim.execute(Body::step, link);
}
