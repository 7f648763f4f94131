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
    pub fn grow(&mut self, by: f32) {
        self.mass += by;
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let mut sim = Sim::new();
    sim.execute(Body::grow, 1.0);
}
