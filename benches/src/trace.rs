//! A graph of ordinary objects, a walk that counts them, and the class that they become.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::rc::Rc;

use ikra::prelude::*;
use ikra::trace::{AddressHasher, Trace};

/// An ordinary object with links to others.
#[derive(Trace)]
#[trace(class = Node)]
pub struct PlainNode {
    /// A number that a kernel changes.
    pub value: Cell<f32>,
    /// The others.
    pub near: RefCell<Vec<Rc<PlainNode>>>,
}

/// The class.
#[soa_class]
pub struct Node {
    /// A number that a kernel changes.
    pub value: f32,
    /// The others.
    #[inline_array(8)]
    pub near: InnerArray<Link<Node>>,
}

#[soa_methods]
impl Node {
    /// Changes the value.
    #[kernel]
    pub fn grow(&mut self, by: f32) {
        self.value += by;
    }
}

/// The world.
#[soa_world]
pub struct Graph {
    /// The objects.
    pub nodes: Objects<Node>,
}

/// `count` objects with `degree` random links each. The first link of each makes a ring, so that all can be reached.
pub fn graph(count: usize, degree: usize) -> Vec<Rc<PlainNode>> {
    let node = |n| Rc::new(PlainNode { value: Cell::new(n as f32), near: RefCell::default() });
    let nodes: Vec<_> = (0..count).map(node).collect();
    let mut state = 0x1234_5678_9ABC_DEF0_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % count
    };
    for (n, node) in nodes.iter().enumerate() {
        let others = (1..degree).map(|_| random());
        let near = std::iter::once((n + 1) % count).chain(others).map(|other| Rc::clone(&nodes[other]));
        *node.near.borrow_mut() = near.collect();
    }
    nodes
}

/// Empties all links, because cycles of `Rc` are never freed.
pub fn unlink(nodes: &[Rc<PlainNode>]) {
    nodes.iter().for_each(|node| node.near.borrow_mut().clear());
}

/// Counts the objects that can be reached, depth first.
pub fn count(root: &Rc<PlainNode>) -> usize {
    let mut seen: HashSet<usize, BuildHasherDefault<AddressHasher>> = HashSet::default();
    let mut open = vec![Rc::clone(root)];
    seen.insert(Rc::as_ptr(root) as usize);
    while let Some(node) = open.pop() {
        for other in &*node.near.borrow() {
            if seen.insert(Rc::as_ptr(other) as usize) {
                open.push(Rc::clone(other));
            }
        }
    }
    seen.len()
}
