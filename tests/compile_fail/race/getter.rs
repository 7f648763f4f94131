// Writes a field of its own object, and reads it from another by a getter.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub pos: f32,
    pub mass: f32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn follow(&mut self, leader: Ref<Body>) {
        self.pos += leader.pos();
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let mut sim = Sim::new();
    let leader = sim.bodies.push(Body { pos: 0.0, mass: 1.0, next: None }).unwrap();
    sim.execute(Body::follow, leader);
}
