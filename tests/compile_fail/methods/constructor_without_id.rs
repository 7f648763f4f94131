// A constructor that is not told which object it makes.
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
    pub fn spawn() -> Self {
        Self { mass: 1.0, next: None, hits: 0 }
    }
}

fn main() {}
