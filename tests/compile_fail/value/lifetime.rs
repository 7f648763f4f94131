// A struct with a reference.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct Name<'a> {
    pub text: &'a str,
}

fn main() {}
