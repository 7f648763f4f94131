// A snapshot of an array that shares its class's arena with an array of atomics.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    #[inline_array(2)]
    pub path: InnerArray<u32>,
    #[atomic]
    #[inline_array(2)]
    pub hits: InnerArray<u32>,
}

#[soa_methods]
impl Body {
    #[kernel(snapshot(path))]
    pub fn wipe(&mut self) {
        self.path.fill(0);
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    Sim::new().execute(Body::wipe, ());
}
