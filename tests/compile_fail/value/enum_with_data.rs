// An enum with fields.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(u8)]
pub enum State {
    Still,
    Moving(f32),
}

fn main() {}
