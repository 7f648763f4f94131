// An enum whose size Rust chooses.
use ikra::prelude::*;

#[derive(Clone, Copy, Value)]
pub enum State {
    Still,
    Moving,
}

fn main() {}
