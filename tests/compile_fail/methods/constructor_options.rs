// A constructor with options.
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
    #[kernel(writes(mass))]
    pub fn spawn(id: u32) -> Self {
        Self { mass: id as f32, next: None, hits: 0 }
    }
}

fn main() {}
