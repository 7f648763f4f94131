use ikra::prelude::*;

#[soa_class]
struct Body { mass: f32, #[atomic] hits: u32 }

#[soa_methods]
impl Body {
    #[kernel(pairs)]
    fn a(&mut self) {}
    #[kernel(pairs)]
    fn b(&mut self, other: f32) {}
    #[kernel(pairs)]
    fn c(&mut self, other: Ref<Body>) -> f32 { other.mass() }
    #[kernel(reduce(Sum))]
    fn d(&self) {}
    #[kernel(pairs, reduce(Sum))]
    fn e(&mut self, other: Ref<Body>) {}
    #[kernel]
    fn f(x: f32) {}
    #[kernel]
    fn g() -> Self { Self { mass: 1.0, hits: 0 } }
    #[kernel(heavy, writes(mass))]
    fn h(id: u32) -> Self { Self { mass: id as f32, hits: 0 } }
}

fn main() {}
