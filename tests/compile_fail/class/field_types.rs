use ikra::prelude::*;

#[soa_class]
struct Body {
    name: String,
    list: Vec<f32>,
    boxed: Box<f32>,
    reference: &'static f32,
    pointer: *const f32,
    other: Ref<Body>,
    maybe: Option<Ref<Body>>,
}

fn main() {}
