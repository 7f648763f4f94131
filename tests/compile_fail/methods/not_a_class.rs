use ikra::prelude::*;

struct Body { mass: f32 }

#[soa_methods]
impl Body {
    fn weigh(&self) -> f32 { self.mass }
}

fn main() {}
