// In a reduction that changes objects.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub pos: f32,
    pub mass: f32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    #[kernel(reduce(Sum))]
    pub fn follow(&mut self) -> f32 {
        self.pos = self.next.map_or(0.0, |next| next.pos());
        self.pos
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let mut sim = Sim::new();
    sim.execute_and_reduce(Body::follow, (), Sum);
}
