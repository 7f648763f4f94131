// A field that is no value.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct Name {
    pub text: &'static str,
}

fn main() {}
