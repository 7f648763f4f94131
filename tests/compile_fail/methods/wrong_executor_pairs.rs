// `execute` for a kernel for pairs.
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
    #[kernel(pairs)]
    pub fn attract(&mut self, other: Ref<Body>) {
        self.mass += 0.0 * f32::from(other.next().is_some());
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let mut sim = Sim::new();
    sim.execute(Body::attract, ());
}
