// A method that cannot write.
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
    #[kernel(writes(mass))]
    pub fn grow(&self) {
        let _ = self.mass;
    }
}

fn main() {}
