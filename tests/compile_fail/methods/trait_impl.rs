use ikra::prelude::*;

#[soa_class]
struct Body { mass: f32, #[atomic] hits: u32 }

#[soa_methods]
impl Default for Body {
    fn default() -> Self { Self { mass: 1.0, hits: 0 } }
}

fn main() {}
