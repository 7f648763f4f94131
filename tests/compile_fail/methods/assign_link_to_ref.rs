// A link, where methods see refs.
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
    pub fn tie(&mut self) {
        self.next = Some(self.link());
    }
}

fn main() {}
