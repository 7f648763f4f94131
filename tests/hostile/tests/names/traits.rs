//! User traits with methods named like Ikra's, for views, refs, worlds, kernels and all other types: none captures a
//! call.

use ikra::{Phase, prelude::*};

/// Implemented for every type.
pub trait Everything {
    fn assign(&mut self) -> u32 {
        panic!("the program's method was called")
    }
    fn begin(&self) {
        panic!("the program's method was called")
    }
    fn handle(&self) {
        panic!("the program's method was called")
    }
    fn with_view(&self) {
        panic!("the program's method was called")
    }
    fn call(&self) {
        panic!("the program's method was called")
    }
    fn assign_part(&mut self) {
        panic!("the program's method was called")
    }
    fn into_assigned(&self) {
        panic!("the program's method was called")
    }
    fn reach(&self) {
        panic!("the program's method was called")
    }
    fn read(&self) {
        panic!("the program's method was called")
    }
    fn step(&mut self) {
        panic!("the program's method was called")
    }
    fn helper(&mut self) {
        panic!("the program's method was called")
    }
    fn members(&self) {
        panic!("the program's method was called")
    }
    fn state(&self) {
        panic!("the program's method was called")
    }
    fn resolved(&self) -> u32 {
        1
    }
}
impl<T: ?Sized> Everything for T {}

/// By value, for views behind references: method lookup tries these before methods by reference.
pub trait ByValue: Sized {
    fn peek(self) -> u32 {
        panic!("the program's method was called")
    }
    fn grow(self) {
        panic!("the program's method was called")
    }
}
impl<P: Phase> ByValue for &mut NodeMut<'_, P> {}
impl<P: Phase> ByValue for &NodeMut<'_, P> {}
impl<P: Phase> ByValue for &NodeRef<'_, P> {}

#[soa_class]
pub struct Node {
    pub x: u32,
    pub y: u32,
    pub next: Link<Node>,
    #[atomic]
    pub hits: u32,
}

#[soa_methods]
impl Node {
    fn helper(&mut self) {
        self.x += 1;
    }
    pub fn peek(&self) -> u32 {
        self.y
    }
    fn grow(&mut self) {
        self.x += 10;
    }
    #[kernel]
    pub fn step(&mut self) {
        self.helper();
        self.grow();
        self.x += 100 * self.next.peek() + 1000 * self.peek();
        self.next.hits().add(1);
    }
    #[kernel]
    pub fn ask(&mut self) {
        self.y = self.resolved();
    }
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

#[test]
fn for_everything() {
    let mut graph = Graph::new();
    let next = Link::from_id(1).unwrap();
    graph.nodes.extend((0..9_000).map(|n| Node { x: n, y: 1, next, hits: 0 })).unwrap();
    graph.execute(Node::ask, ());
    graph.execute(Node::step, ());
    assert!(graph.nodes.iter().zip(0..).all(|(row, n)| row.x == n + 1111));
    assert_eq!(graph.nodes.iter().next().unwrap().hits, 9_000);
}
