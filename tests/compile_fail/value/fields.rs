use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
struct Name { text: &'static str }

fn main() {}
