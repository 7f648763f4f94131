// An inner array is replaced as a whole.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    #[inline_array]
    pub path: [u32; 4],
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn clear(&mut self) {
        self.path = [0; 4];
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
