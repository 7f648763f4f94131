// A `Ref` returned to where its world is not borrowed.
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
    pub fn pick(&self) -> Option<Ref<Body>> {
        self.next
    }
}

fn main() {}
