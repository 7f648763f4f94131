// A method for constants.
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
    pub const fn double(&self) -> f32 {
        self.mass * 2.0
    }
}

fn main() {}
