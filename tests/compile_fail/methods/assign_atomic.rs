use ikra::prelude::*;

#[soa_class]
struct Body { mass: f32, #[atomic] hits: u32 }

#[soa_methods]
impl Body {
    #[kernel]
    fn step(&mut self) { self.hits += 1; }
}

fn main() {}
