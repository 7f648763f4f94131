//! Links in views and refs, and methods of other objects.

use ikra::prelude::*;

/// Two classes that refer to each other.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Node {
    pub value: i32,
    pub next: Option<Link<Node>>,
    pub edge: Link<Edge>,
    pub around: [Option<Link<Node>>; 2],
    pub sum: i32,
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Edge {
    pub length: f32,
    pub from: Link<Node>,
    pub ends: [Link<Node>; 2],
    pub seen: u32,
}

#[soa_methods]
impl Node {
    /// On the row, and generic over the phase of its arguments.
    pub fn difference(a: Ref<Node>, b: Option<Ref<Self>>) -> i32 {
        a.value() - b.map_or(0, |b| b.value())
    }
    #[kernel]
    pub fn compare(&mut self) {
        let own = self.resolve(self.link());
        self.sum = Self::difference(own, self.next);
    }
    pub fn reach(&self, scale: f32) -> f32 {
        self.edge.length() * scale
    }
    pub fn generic<T: From<i32>>(&self) -> T {
        T::from(self.value)
    }
    pub fn next_value(&self) -> Option<i32> {
        Some(self.next?.value())
    }
    #[kernel]
    pub fn gather(&mut self) {
        self.sum = self.around.iter().flatten().map(|node| node.value()).sum();
        if let Some(next) = self.next {
            self.sum += 100 * next.generic::<i32>() + next.edge().length() as i32;
        }
        self.sum += self.edge.from().value() * 10_000;
    }
    #[kernel]
    pub fn skip(&mut self, other: Ref<Node>) {
        self.next = Some(other);
        self.around[1] = None;
    }
    #[kernel(snapshot(next))]
    pub fn leap(&mut self) {
        self.next = self.next.and_then(|next| next.next());
    }
    #[kernel]
    pub fn relink(&mut self) {
        let edge = self.edge;
        self.next = Some(self.resolve(edge.from().link()));
        self.edge = self.all::<Edge>().next().unwrap();
    }
    #[kernel(pairs)]
    pub fn survey(&mut self, edge: Ref<Edge>, weight: i32) {
        self.sum += weight * edge.length() as i32;
        if edge.ends()[0] == self.resolve(self.link()) {
            self.sum += 1000;
        }
    }
    #[kernel(pairs)]
    pub fn meet(&mut self, node: Ref<Self>) {
        self.sum += node.value();
    }
}

#[soa_methods]
impl Edge {
    #[kernel]
    pub fn look(&mut self) {
        let from: Ref<Node> = self.from;
        self.seen = from.reach(2.0) as u32 + from.next().map_or(0, |node| node.value() as u32);
        for end in self.ends {
            self.seen += end.value() as u32;
        }
    }
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
    pub edges: Objects<Edge>,
}

fn graph() -> (Graph, Vec<Link<Node>>, Link<Edge>) {
    let mut graph = Graph::new();
    let nodes: Vec<_> = graph.nodes.reserve(3).unwrap().collect();
    let edge = graph.edges.push(Edge { length: 3.0, from: nodes[0], ends: [nodes[1], nodes[2]], seen: 0 }).unwrap();
    for (n, &node) in nodes.iter().enumerate() {
        let next = Some(nodes[(n + 1) % 3]);
        let around = [next, Some(nodes[(n + 2) % 3])];
        let row = Node { value: n as i32 + 1, next, edge, around, sum: 0 };
        graph.nodes.init(node, row).unwrap();
    }
    (graph, nodes, edge)
}

#[test]
fn links_are_refs() {
    let (mut g, n, e) = graph();
    assert_eq!(g.get(n[0]).reach(2.0), 6.0);
    assert_eq!(g.get(n[2]).generic::<i64>(), 3);
    assert_eq!(g.get(n[2]).next_value(), Some(1));
    g.execute(Node::gather, ());
    assert_eq!(g.nodes.column(node::sum), [10_208, 10_307, 10_106]);
    g.execute(Edge::look, ());
    assert_eq!(g.get(e).seen(), 6 + 2 + 5);
    g.execute(Node::leap, ());
    assert_eq!(g.get(n[0]).next().map(|node| node.link()), Some(n[2]));
    g.execute(Node::skip, n[1]);
    assert_eq!(g.get(n[0]).next_value(), Some(2));
    assert_eq!(g.get(n[0]).around()[1], None);
    g.execute(Node::relink, ());
    assert_eq!(g.get(n[2]).next_value(), Some(1));
    assert_eq!(format!("{:?}", g.get_mut(n[1]).edge), "Edge#1");
    g.execute(Node::compare, ());
    assert_eq!(g.nodes.column(node::sum), [0, 1, 2]);
    assert_eq!(Node::difference(g.get(n[2]), Some(g.get(n[0]))), 2);
}

#[test]
fn pairs_with_another_class() {
    let (mut g, ..) = graph();
    g.execute_pairs(Node::survey, 2);
    assert_eq!(g.nodes.column(node::sum), [6, 1006, 6]);
    g.execute_pairs(Node::meet, ());
    assert_eq!(g.nodes.column(node::sum), [12, 1012, 12]);
}
