// A method that takes `&self` changes an element.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    #[inline_array]
    pub path: [u32; 4],
}

#[soa_methods]
impl Body {
    pub fn clear(&self) {
        self.path[0] = 0;
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
