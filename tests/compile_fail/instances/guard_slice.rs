//! The same for slices, also in a method that works elsewhere.

use ikra::prelude::*;

#[soa_class]
pub struct Node {
    pub next: Link<Node>,
    #[inline_array(0)]
    pub path: InnerArray<u32>,
}

#[soa_methods]
impl Node {
    pub fn first(&self) -> u32 {
        self.next.path().as_slice().map_or(0, |path| path[0])
    }
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

fn main() {
    let mut graph = Graph::new();
    let node = graph.nodes.reserve(1).unwrap().next().unwrap();
    graph.nodes.init(node, Node { next: node, path: [1, 2].into() }).unwrap();
    println!("{}", graph.get(node).first());
    println!("{}", graph.get_mut(node).first());
}
