// Reads in a generic method.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub pos: f32,
    pub mass: f32,
    pub next: Option<Link<Body>>,
}

#[soa_methods]
impl Body {
    pub fn pick<T: From<f32>>(&self, from: Ref<Body>) -> T {
        T::from(from.pos())
    }
    #[kernel]
    pub fn follow(&mut self) {
        if let Some(next) = self.next {
            self.pos = self.pick::<f32>(next);
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
