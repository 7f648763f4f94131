//! Hidden constants of the phase, read by a helper that is generic over the phase.

use std::ptr;

use ikra::{Phase, prelude::*};
use ikra_hostile_tests::{MANY, hash, same_with_any_threads};

#[soa_class]
#[derive(Clone, Debug)]
pub struct Node {
    pub x: u64,
    #[atomic]
    pub count: u64,
    pub next: Link<Node>,
}

fn flags<P: Phase>(_: NodeRef<'_, P>) -> u64 {
    1 + u64::from(P::SEQUENTIAL) + 2 * u64::from(P::GUARDED) + 4 * P::OWN as u64 + 8 * P::BESIDE.len() as u64
}
fn effects<P: Phase>(_: NodeRef<'_, P>) -> u64 {
    format!("{:?}", P::EFFECTS).bytes().map(u64::from).sum()
}
fn address_of_effects<P: Phase>(_: NodeRef<'_, P>) -> u64 {
    u64::from(ptr::eq(P::EFFECTS, ikra::effects(Node::ask_address)))
}

#[soa_methods]
impl Node {
    #[kernel(updates(add(count)), writes(x))]
    pub fn ask_flags(&mut self) {
        self.x = flags(self.next);
        self.next.count().add(self.x);
    }
    #[kernel(updates(add(count)), writes(x))]
    pub fn ask_effects(&mut self) {
        self.x = effects(self.next);
        self.next.count().add(self.x);
    }
    #[kernel(updates(add(count)), writes(x))]
    pub fn ask_address(&mut self) {
        self.x = 1 + address_of_effects(self.next);
        self.next.count().add(self.x);
    }
}

#[soa_world]
pub struct Nodes {
    pub nodes: Objects<Node>,
}

fn world() -> Nodes {
    let mut world = Nodes::new();
    let link = |n: usize| Link::from_index(n % MANY).unwrap();
    world.nodes.extend((0..MANY).map(|n| Node { x: 0, count: 0, next: link(n * 31) })).unwrap();
    world
}

macro_rules! asked {
    ($($name:ident $kernel:ident)*) => { $(
        #[test]
        fn $name() {
            same_with_any_threads(|| {
                let mut world = world();
                world.execute(Node::$kernel, ());
                hash(world.nodes.iter().map(|row| (row.x, row.count)).collect::<Vec<_>>())
            });
        }
    )* };
}
asked! {
    what_else_there_is ask_flags
    what_it_does ask_effects
    where_that_stands ask_address
}
