// An enum without values.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(u8)]
pub enum Never {}

fn main() {}
