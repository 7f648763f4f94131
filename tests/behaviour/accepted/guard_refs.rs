//! Operations on a guard and on the refs that exist at the same time.

use ikra::prelude::*;

#[soa_class]
pub struct Node {
    pub value: u32,
    pub next: Link<Node>,
    #[inline_array]
    pub path: [u32; 2],
}

#[soa_methods]
impl Node {
    pub fn first(&self) -> &u32 {
        &self.path[0]
    }
    pub fn sum(&self) -> u32 {
        self.next.path().iter().sum::<u32>() + self.path[1]
    }
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

pub fn main() {
    let mut graph = Graph::new();
    let node = graph.nodes.reserve(1).unwrap().next().unwrap();
    graph.nodes.init(node, Node { value: 1, next: node, path: [1, 2] }).unwrap();
    let mut guard = graph.get_mut(node);
    let own = &mut guard.path[0];
    *own += 1;
    assert_eq!((*guard.first(), guard.sum(), guard.next.sum()), (2, 5, 5));
    drop(guard);
    let object = graph.get(node);
    std::thread::scope(|scope| {
        scope.spawn(move || assert_eq!(object.path().get(0), 2));
    });
}
