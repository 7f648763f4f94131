// A kernel for pairs that takes the other object too late.
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
    pub fn grow(&mut self, by: f32, other: Ref<Body>) {
        self.mass += by * other.mass();
    }
}

fn main() {}
