//! What a kernel does is made where the kernel is, for its class: no other effects take their place.

use ikra::prelude::*;
use ikra::rt::{MethodEffects, Reached};
use ikra::{Effects, FieldSet};

#[soa_class]
pub struct Node {
    pub value: u64,
    pub next: Link<Node>,
}

/// Not exclusive, and may write arrays all the same.
const fn lie() -> Effects {
    let mut effects = Effects::shared::<Node>("Node::lie", Reached::NONE);
    effects.writes = FieldSet::ALL;
    effects
}

ikra::rt::kernel! {
    pub const lying: Lying = "Node::lying" for Node [0 1], NoRow;
    lie();
}

ikra::rt::kernel! {
    pub const mixed: Mixed = "Node::mixed" for Node [1 0], NoRow;
    exclusive(MethodEffects::new(1, 1).reach(Reached::NONE), 0);
}

fn main() {}
