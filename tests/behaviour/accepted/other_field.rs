// A different field than the written one; and the racing kernel, split into two.
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
    pub fn prepare(&mut self) {
        self.mass = self.next.map_or(0.0, |next| next.pos());
    }
    #[kernel]
    pub fn follow(&mut self) {
        self.pos += self.mass;
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

pub fn main() {
    let mut sim = Sim::new();
    sim.execute(Body::prepare, ());
    sim.execute(Body::follow, ());
}
