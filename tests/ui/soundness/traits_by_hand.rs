//! What executors trust cannot be said without `unsafe`.

use ikra::prelude::*;
use ikra::rt::{ClassId, FieldSet, ModeOf};

#[soa_class]
pub struct Node {
    pub value: u64,
}

#[derive(Clone, Copy)]
pub struct Liar;

impl ikra::Phase for Liar {
    const CLASS: ClassId = <Node as ikra::Class>::ID;
    const NAME: &'static str = "liar";
    const WRITES: FieldSet = FieldSet::EMPTY;
    const SNAPSHOT: FieldSet = FieldSet::EMPTY;
}

impl ikra::rt::Method for Liar {
    type Class = Node;
    type Modes = (ModeOf<3>,);
    const EXCLUSIVE: bool = true;
    const HEAVY: bool = false;
}

impl ikra::rt::ReducedBy<Sum> for Liar {
    const NUMBER: usize = 7;
}

fn main() {}
