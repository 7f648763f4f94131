use ikra::prelude::*;

#[kernel]
fn step() {}

struct Plain;

impl Plain {
    #[kernel]
    fn step(&mut self) {}
}

fn main() {}
