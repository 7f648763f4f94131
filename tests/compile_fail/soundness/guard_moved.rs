//! Nor does the guard leave its thread.

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
    let guard = graph.get_mut(node);
    std::thread::scope(|scope| {
        scope.spawn(move || drop(guard));
    });
}
