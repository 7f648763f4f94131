// A kernel that is no method and no constructor.
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
    pub fn grow(mass: f32) -> f32 {
        mass + 1.0
    }
}

fn main() {}
