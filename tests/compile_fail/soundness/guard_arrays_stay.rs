//! So does an array of a ref that is found from a guard.

use ikra::prelude::*;

#[soa_class]
pub struct Node {
    pub next: Link<Node>,
    #[inline_array]
    pub path: [u32; 4],
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

fn main() {
    let mut graph = Graph::new();
    let node = graph.nodes.reserve(1).unwrap().next().unwrap();
    graph.nodes.init(node, Node { next: node, path: [1, 2, 3, 4] }).unwrap();
    let mut guard = graph.get_mut(node);
    let path = guard.next.path();
    let elements = guard.next.path().iter();
    std::thread::scope(|scope| {
        scope.spawn(move || path.get(0));
        scope.spawn(move || elements.sum::<u32>());
        guard.path[0] = 2;
        drop(guard);
    });
}
