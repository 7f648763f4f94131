// A method with the name of one that every object has.
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
    pub fn resolve(&self) -> f32 {
        self.mass
    }
}

fn main() {}
