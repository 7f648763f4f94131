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
    #[kernel(snapshot(mass))]
    pub fn average(&mut self) {
        self.mass = self.next.map_or(0.0, |next| next.mass());
    }
    #[kernel]
    pub fn hit(&mut self) {
        if let Some(next) = self.next {
            next.hits().add(self.speed as u32);
        }
    }
    #[kernel(writes(mass))]
    pub fn alias(&mut self) {
        let next = self.next;
        let own = self;
        own.mass = next.map_or(0.0, |next| next.speed());
    }
}

pub fn main() {
    let mut sim = Sim::new();
    let first = sim.bodies.push(Body { mass: 1.0, speed: 3.0, hits: 1, next: None }).unwrap();
    sim.bodies.push(Body { mass: 2.0, speed: 4.0, hits: 1, next: Some(first) }).unwrap();
    sim.execute(Body::average, ());
    assert_eq!(sim.bodies.column(body::mass), [0.0, 1.0]);
    sim.execute(Body::hit, ());
    assert_eq!(sim.get(first).hits().load(), 5);
    sim.execute(Body::alias, ());
    assert_eq!(sim.bodies.column(body::mass), [0.0, 3.0]);
}
