// `#[kernel]` on a free function.
use ikra::prelude::*;

#[kernel]
pub fn grow(mass: &mut f32) {
    *mass += 1.0;
}

fn main() {}
