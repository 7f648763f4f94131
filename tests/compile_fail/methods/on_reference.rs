// A block for something that is no struct.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub next: Option<Link<Body>>,
    #[atomic]
    pub hits: u32,
}

#[soa_methods]
impl &Body {
    pub fn grow(&self) {}
}

fn main() {}
