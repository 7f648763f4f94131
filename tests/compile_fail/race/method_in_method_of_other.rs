// The read is in a method that a method of the other object calls.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub pos: f32,
    pub mass: f32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    fn place(&self) -> f32 {
        self.pos
    }
    pub fn moment(&self) -> f32 {
        self.place() * self.mass
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
