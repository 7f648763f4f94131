// An enum whose size depends on the machine.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
#[repr(usize)]
pub enum State {
    Still,
    Moving,
}

fn main() {}
