// A kernel that changes its own array and reads that of another object.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub next: Link<Body>,
    #[inline_array(2)]
    pub path: InnerArray<u32>,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn follow(&mut self) {
        self.path[0] = { let near = self.next; near.path()[1] };
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    Sim::new().execute(Body::follow, ());
}
