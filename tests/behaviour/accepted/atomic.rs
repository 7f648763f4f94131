// An atomic field that any object may change.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    #[atomic]
    pub hits: u32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn hit(&mut self) {
        self.hits.add(1);
        if let Some(next) = self.next {
            next.hits().add(10);
        }
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

pub fn main() {
    let mut sim = Sim::new();
    let first = sim.bodies.push(Body { hits: 0, next: None }).unwrap();
    sim.bodies.push(Body { hits: 0, next: Some(first) }).unwrap();
    sim.execute(Body::hit, ());
    assert_eq!(sim.bodies.copy_column(body::hits), [11, 1]);
}
