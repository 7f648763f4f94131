// A kernel for pairs and to reduce.
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
    #[kernel(pairs, reduce(Sum))]
    pub fn grow(&mut self, other: Ref<Body>) {
        self.mass += f32::from(other.next().is_some());
    }
}

fn main() {}
