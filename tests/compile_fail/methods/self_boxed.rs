// A method that takes a box.
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
    pub fn unpack(self: Box<Self>) -> f32 {
        self.mass
    }
}

fn main() {}
