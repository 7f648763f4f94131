//! Beside a guard, elements of other objects' arrays, which may be the guard's own object's, come by value.

use ikra::prelude::*;

#[soa_class]
pub struct Node {
    pub next: Link<Node>,
    #[inline_array]
    pub path: [u32; 2],
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

fn main() {
    let mut graph = Graph::new();
    let node = graph.nodes.reserve(1).unwrap().next().unwrap();
    graph.nodes.init(node, Node { next: node, path: [1, 2] }).unwrap();
    let guard = graph.get_mut(node);
    let path = guard.next.path();
    let first = &path[0];
    drop(guard);
    println!("{first}");
}
