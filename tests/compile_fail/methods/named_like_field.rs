// A method with the name of a field.
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
    pub fn mass(&self) -> f32 {
        self.mass
    }
}

fn main() {}
