// Reads by a method of the other object.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub pos: f32,
    pub mass: f32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    pub fn moment(&self) -> f32 {
        self.pos * self.mass
    }
    #[kernel]
    pub fn follow(&mut self) {
        self.pos = self.next.map_or(0.0, |next| next.moment());
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let mut sim = Sim::new();
    sim.execute(Body::follow, ());
}
