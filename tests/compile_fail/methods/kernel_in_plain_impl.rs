// `#[kernel]` in a block that is not under `#[soa_methods]`.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub next: Option<Link<Body>>,
    #[atomic]
    pub hits: u32,
}

impl Body {
    #[kernel]
    pub fn new(id: u32) -> Self {
        Self { mass: id as f32, next: None, hits: 0 }
    }
}

fn main() {}
