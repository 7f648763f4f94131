// `#[kernel]` on a field.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
    #[kernel]
    pub field: f32,
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
