// More slots than a class has columns.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
    #[inline_array]
    pub field: [u8; 300],
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn grow(&mut self) {
        self.mass += 1.0;
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {}
