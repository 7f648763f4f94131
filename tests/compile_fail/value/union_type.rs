// A union.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
pub union Bits {
    pub float: f32,
    pub int: u32,
}

fn main() {}
