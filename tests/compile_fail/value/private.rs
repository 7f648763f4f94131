// A value type that is less visible than the class.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
struct Secret {
    n: u32,
}

#[soa_class]
pub struct Body {
    secret: Secret,
}

fn main() {}
