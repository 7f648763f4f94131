// Another object is read only.
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
    pub fn steal(&mut self) {
        if let Some(next) = self.next {
            next.mass = 0.0;
        }
    }
}

fn main() {}
