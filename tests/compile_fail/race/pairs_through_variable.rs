// In a kernel for pairs, of what the text does not show to be another object of the class.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub pos: f32,
    pub mass: f32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    #[kernel(pairs)]
    pub fn attract(&mut self, other: Ref<Body>) {
        let near = other;
        self.pos += near.pos() - self.pos;
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let mut sim = Sim::new();
    sim.execute_pairs(Body::attract, ());
}
