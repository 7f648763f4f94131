use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
union Bits { x: f32, y: u32 }

fn main() {}
