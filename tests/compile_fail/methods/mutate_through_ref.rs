// A `&mut self` method of another object.
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
    #[kernel]
    pub fn feed(&mut self) {
        if let Some(next) = self.next {
            next.grow(1.0);
        }
    }
}

fn main() {}
