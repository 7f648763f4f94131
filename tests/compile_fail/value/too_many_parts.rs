// A struct with too many fields to be flattened.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct Wide {
    pub f0: f32,
    pub f1: f32,
    pub f2: f32,
    pub f3: f32,
    pub f4: f32,
    pub f5: f32,
    pub f6: f32,
    pub f7: f32,
    pub f8: f32,
    pub f9: f32,
    pub f10: f32,
    pub f11: f32,
    pub f12: f32,
    pub f13: f32,
    pub f14: f32,
    pub f15: f32,
    pub f16: f32,
}

#[soa_class]
pub struct Body {
    #[soa(flatten)]
    pub wide: Wide,
}

fn main() {}
