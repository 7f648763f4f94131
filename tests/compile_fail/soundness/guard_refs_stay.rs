//! A ref that is found from a guard stays in the guard's thread: the guard stores its object when it is dropped.

use ikra::prelude::*;

#[soa_class]
pub struct Node {
    pub value: u32,
    pub next: Link<Node>,
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

fn main() {
    let mut graph = Graph::new();
    let node = graph.nodes.reserve(1).unwrap().next().unwrap();
    graph.nodes.init(node, Node { value: 1, next: node }).unwrap();
    let mut guard = graph.get_mut(node);
    let other = guard.next;
    std::thread::scope(|scope| {
        scope.spawn(move || other.value());
        guard.value = 2;
        drop(guard);
    });
}
