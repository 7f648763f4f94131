// The column of an array that has one a slot.
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
    let _ = Sim::new().bodies.column(body::path);
}
