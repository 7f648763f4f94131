use ikra::prelude::*;

#[soa_class]
struct Body { mass: f32, #[atomic] hits: u32 }

#[soa_methods]
impl<T> Body {
    fn weigh(&self) -> f32 { self.mass }
}

fn main() {}
