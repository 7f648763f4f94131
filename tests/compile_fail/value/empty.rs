use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
struct Nothing;

#[derive(Clone, Copy, Value)]
#[repr(u8)]
enum Never {}

fn main() {}
