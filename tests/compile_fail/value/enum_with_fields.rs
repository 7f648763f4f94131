use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(u8)]
enum Kind { A(f32), B }

fn main() {}
