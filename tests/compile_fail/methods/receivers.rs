use ikra::prelude::*;

#[soa_class]
struct Body { mass: f32, #[atomic] hits: u32 }

#[soa_methods]
impl Body {
    fn a(self) -> f32 { self.mass }
    fn b(mut self) -> f32 { self.mass }
    fn c(self: Box<Self>) -> f32 { self.mass }
    async fn d(&self) -> f32 { self.mass }
    const fn e(&self) -> f32 { self.mass }
}

fn main() {}
