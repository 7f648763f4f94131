// The other object's value from before the kernel.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub pos: f32,
    pub mass: f32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    #[kernel(snapshot(pos))]
    pub fn follow(&mut self) {
        self.pos = 1.0 + self.next.map_or(0.0, |next| next.pos());
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

pub fn main() {
    let mut sim = Sim::new();
    let first = sim.bodies.push(Body { pos: 0.0, mass: 1.0, next: None }).unwrap();
    let second = sim.bodies.push(Body { pos: 5.0, mass: 1.0, next: Some(first) }).unwrap();
    sim.bodies.push(Body { pos: 7.0, mass: 1.0, next: Some(second) }).unwrap();
    sim.execute(Body::follow, ());
    assert_eq!(sim.bodies.column(body::pos), [1.0, 1.0, 6.0]);
}
