// A kernel that passes on `self` and declares its writes.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub pos: f32,
    pub mass: f32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    #[kernel(writes(pos))]
    pub fn follow(&mut self) {
        let object = self;
        object.pos = object.next.map_or(0.0, |next| next.mass());
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

pub fn main() {
    let mut sim = Sim::new();
    sim.execute(Body::follow, ());
}
