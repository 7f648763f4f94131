// The write is in a method that the kernel calls.
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
    pub fn follow(&mut self, leader: Ref<Body>) {
        let target = leader.pos();
        self.move_to(target);
    }
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
    let leader = sim.bodies.push(Body { pos: 0.0, mass: 1.0, next: None }).unwrap();
    sim.execute(Body::follow, leader);
}
