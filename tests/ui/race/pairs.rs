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
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Body>) {
        self.speed += other.speed();
    }
}

fn main() {
    let mut sim = Sim::new();
    sim.execute_pairs(Body::meet, ());
}
