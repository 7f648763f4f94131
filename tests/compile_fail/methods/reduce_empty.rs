// No reducer.
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
    #[kernel(reduce())]
    pub fn grow(&mut self) -> f32 {
        self.mass
    }
}

fn main() {}
