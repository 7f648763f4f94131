// A method of the other object that formats it.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub pos: f32,
    pub mass: f32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    pub fn name(&self) -> usize {
        format!("{self:?}").len()
    }
    #[kernel]
    pub fn follow(&mut self) {
        self.pos = self.next.map_or(0, |next| next.name()) as f32;
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
