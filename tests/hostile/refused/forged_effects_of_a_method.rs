// Must be refused, or be right.
//! A method with forged effects: a hand-written hidden constant declares none. Other methods call it, and read by plain
//! loads an atomic that the call stores. The view lent by a ref panics before the first load.

use ikra::prelude::*;

#[soa_class]
pub struct Node {
    pub x: u64,
    pub next: Link<Node>,
    #[atomic]
    pub count: u64,
}

#[cfg(feature = "attack")]
impl Node {
    #[allow(non_upper_case_globals)]
    pub(crate) const __effects_of_sneaky: ikra::rt::MethodEffects = ikra::rt::MethodEffects::new(0, 0);
}
#[cfg(feature = "attack")]
impl<P: ikra::Phase> NodeMut<'_, P> {
    pub fn sneaky(&self) -> u64 {
        self.count.load()
    }
}
#[cfg(not(feature = "attack"))]
#[soa_methods]
impl Node {
    pub fn sneaky(&self) -> u64 {
        self.x
    }
}

#[soa_methods]
impl Node {
    pub fn peek(&self) -> u64 {
        self.sneaky()
    }
}

#[soa_methods]
impl Node {
    #[kernel]
    pub fn go(&mut self) {
        self.count.store(self.count.load() + self.next.peek());
    }
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

fn main() {
    let mut graph = Graph::new();
    graph.nodes.push(Node { x: 1, next: Link::from_id(1).unwrap(), count: 1 }).unwrap();
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| graph.execute(Node::go, ())));
    if cfg!(feature = "attack") {
        let message = done.expect_err("it reads by plain loads what other calls store").downcast::<String>().unwrap();
        assert!(message.contains("`Node::count` of its own object alone"), "{message}");
    } else {
        done.unwrap();
    }
}
