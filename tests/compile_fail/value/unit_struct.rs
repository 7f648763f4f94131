// A struct without fields.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct Nothing;

fn main() {}
