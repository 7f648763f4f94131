// An element of another object's array is assigned to.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub next: Link<Body>,
    #[inline_array]
    pub path: [u32; 4],
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn push(&mut self) {
        self.next.path()[1] = 5;
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    Sim::new().execute(Body::push, ());
}
