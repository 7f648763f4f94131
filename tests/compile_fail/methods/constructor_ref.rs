// A constructor that takes an object.
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
    #[kernel]
    pub fn spawn(id: u32, next: Ref<Body>) -> Self {
        Self { mass: id as f32, next: None, hits: 0 }
    }
}

fn main() {}
