// A generic block.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub next: Option<Link<Body>>,
    #[atomic]
    pub hits: u32,
}

#[soa_methods]
impl<T> Body {
    pub fn grow(&mut self, by: T) {}
}

fn main() {}
