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
    pub fn grow(&mut self) {
        self.mass += 1.0;
    }
}

fn main() {}
