// `#[soa_methods]` on the struct.
use ikra::prelude::*;

#[soa_methods]
pub struct Body {
    pub mass: f32,
}

fn main() {}
