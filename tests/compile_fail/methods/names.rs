use ikra::prelude::*;

#[soa_class]
struct Body { mass: f32, #[atomic] hits: u32 }

#[soa_methods]
impl Body {
    fn mass(&self) -> f32 { self.mass }
    fn link(&self) {}
    fn all(&self) {}
    fn resolve(&self) {}
}

fn main() {}
