// The write is in a method of another block.
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
        let target = self.next.map_or(0.0, |next| next.pos());
        self.move_to(target);
    }
}

#[soa_methods]
impl Body {
    fn move_to(&mut self, target: f32) {
        self.pos = target;
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
