// A constructor whose first parameter is no id.
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
    pub fn spawn(mass: f32) -> Self {
        Self { mass, next: None, hits: 0 }
    }
}

fn main() {}
