// A kernel called like a function.
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
    pub fn grow(&mut self, by: f32) {
        self.mass += by;
    }
}

fn main() {
    let mut body = Body { mass: 1.0, next: None, hits: 0 };
    body.grow(1.0);
}
