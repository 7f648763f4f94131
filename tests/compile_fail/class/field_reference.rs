// A reference.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub field: &str,
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
