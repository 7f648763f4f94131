// A method that takes the object itself.
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
    pub fn into_mass(self) -> f32 {
        self.mass
    }
}

fn main() {}
