// Memory elsewhere, in a value that is said to be `Copy`: the compiler's own message cannot be left out.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct Name {
    pub text: String,
    pub lengths: Vec<u32>,
}

#[soa_class]
pub struct Body {
    pub name: Name,
}

fn main() {}
