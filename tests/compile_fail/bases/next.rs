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
    #[kernel]
    pub fn step(&mut self) {
        self.speed = self.next.map_or(0.0, |next| next.mass());
    }
}

fn main() {
    let mut sim = Sim::new();
    sim.execute(Body::step, ());
}
