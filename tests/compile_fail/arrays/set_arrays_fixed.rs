// Arrays of one length are set as if their lengths varied.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    #[inline_array]
    pub path: [u32; 4],
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let _ = Sim::new().bodies.set_arrays(body::path, &[0], &[]);
}
