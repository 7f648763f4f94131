// A block of a trait's methods.
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub next: Option<Link<Body>>,
    #[atomic]
    pub hits: u32,
}

pub trait Grow {
    fn grow(&mut self);
}

#[soa_methods]
impl Grow for Body {
    fn grow(&mut self) {
        self.mass += 1.0;
    }
}

fn main() {}
