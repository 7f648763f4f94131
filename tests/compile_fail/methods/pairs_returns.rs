// A kernel for pairs that returns a value.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub next: Option<Link<Body>>,
    #[atomic]
    pub hits: u32,
}

#[soa_methods]
impl Body {
    #[kernel(pairs)]
    pub fn grow(&mut self, other: Ref<Body>) -> f32 {
        other.mass()
    }
}

fn main() {}
