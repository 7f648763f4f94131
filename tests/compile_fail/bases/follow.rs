use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub pos: f32,
    pub mass: f32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn follow(&mut self) {
        if let Some(next) = self.next {
            self.pos = next.mass();
        }
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
