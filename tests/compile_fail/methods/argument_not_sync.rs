// A counter that threads cannot share.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub next: Option<Link<Body>>,
    #[atomic]
    pub hits: u32,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn count(&self, total: &std::cell::Cell<u32>) {
        total.set(total.get() + 1);
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let mut sim = Sim::new();
    let total = std::cell::Cell::new(0);
    sim.execute(Body::count, &total);
}
