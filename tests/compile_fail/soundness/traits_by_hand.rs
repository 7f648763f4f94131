//! What executors trust cannot be said without `unsafe`.

use ikra::prelude::*;

#[soa_class]
pub struct Node {
    pub value: u64,
}

#[derive(Clone, Copy)]
pub struct Liar;

impl ikra::Phase for Liar {
    const EFFECTS: &'static ikra::Effects = <ikra::Sequential as ikra::Phase>::EFFECTS;
    type Near = <ikra::Sequential as ikra::Phase>::Near;
}

impl ikra::rt::Kernel for Liar {
    type Class = Node;
    type Modes = ();
}

impl ikra::rt::ReducedBy<Sum> for Liar {
    const NUMBER: usize = 7;
}

fn main() {}
