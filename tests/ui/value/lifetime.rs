use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
struct Name<'a> { text: &'a str }

fn main() {}
