// A generic class.
use ikra::prelude::*;

#[soa_class]
pub struct Body<T> {
    pub mass: T,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn grow(&mut self) {
        self.mass += 1.0;
    }
}

fn main() {}
