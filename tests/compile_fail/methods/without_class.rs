// A struct that is no class.
use ikra::prelude::*;

pub struct Body {
    pub mass: f32,
}

#[soa_methods]
impl Body {
    pub fn grow(&mut self) {
        self.mass += 1.0;
    }
}

fn main() {}
