use ikra::prelude::*;

#[soa_class]
struct Body { mass: f32, #[atomic] hits: u32 }

#[soa_methods]
impl Body {
    #[kernel(writes(size))]
    fn a(&mut self) {}
    #[kernel(snapshot(hits))]
    fn b(&mut self) {}
    #[kernel(snapshot(mass))]
    fn c(&self) {}
    #[kernel(writes(mass))]
    fn d(&self) {}
    #[kernel(parallel)]
    fn e(&mut self) {}
    #[kernel(writes)]
    fn f(&mut self) {}
    #[kernel(reduce)]
    fn g(&self) -> f32 { self.mass }
    #[kernel(reduce())]
    fn h(&self) -> f32 { self.mass }
    #[kernel]
    #[kernel(heavy)]
    fn i(&mut self) {}
}

fn main() {}
