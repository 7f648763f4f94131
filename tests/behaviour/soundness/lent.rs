//! Views lent by refs: an atomic in such a view belongs to another object, whatever effects the borrowing method
//! declares.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;
use ikra::rt::MethodEffects;
use rayon::ThreadPoolBuilder;

#[soa_class]
pub struct Node {
    pub next: Link<Node>,
    pub seen: u64,
    #[atomic]
    pub count: u64,
    #[atomic]
    #[inline_array]
    pub counts: [u32; 2],
}

/// The declared effects of a method. Safe code can define them itself, here as empty.
#[allow(non_upper_case_globals, reason = "the macro's names")]
impl Node {
    pub(crate) const __effects_of_sneak: MethodEffects = MethodEffects::new(0, 0);
    pub(crate) const __effects_of_sneak_in_array: MethodEffects = MethodEffects::new(0, 0);
}

impl<P: ikra::Phase> NodeMut<'_, P> {
    fn sneak(&self, how: u32) -> u64 {
        match how {
            0 => self.count.load(),
            1 => {
                self.count.store(1);
                0
            }
            2 => self.count.swap(1),
            3 => self.count.fetch_add(1),
            4 => self.count.fetch_max(1),
            5 => self.count.compare_exchange(0, 1).unwrap_or_else(|value| value),
            _ => format!("{:?}", self.count).len() as u64,
        }
    }
    fn sneak_in_array(&self) -> u64 {
        self.counts.get(1).load().into()
    }
}

#[soa_methods]
impl Node {
    pub fn peek(&self, how: u32) -> u64 {
        self.sneak(how)
    }
    pub fn peek_in_array(&self) -> u64 {
        self.sneak_in_array()
    }
    /// Updates `count` of its own object only.
    #[kernel]
    pub fn go(&mut self, how: u32) {
        self.count.store(u64::from(how));
        self.seen = self.next.peek(how);
    }
    /// It also changes another object's atomic, so it is also compiled for one thread.
    #[kernel]
    pub fn go_in_array(&mut self) {
        self.counts.get(0).store(1);
        self.seen = self.next.peek_in_array();
        self.next.count().add(1);
    }
    /// A method may do anything to its own object.
    #[kernel]
    pub fn alone(&mut self, how: u32) {
        self.count.store(3);
        self.seen = self.peek(how);
    }
    /// A load of any object, where the kernel only loads.
    #[kernel]
    pub fn look(&mut self) {
        self.seen = self.count.load() + self.next.honest();
    }
    pub fn honest(&self) -> u64 {
        self.count.load()
    }
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

fn ring(len: usize) -> Graph {
    let mut graph = Graph::new();
    let nodes: Vec<_> = graph.nodes.reserve(len).unwrap().collect();
    for (n, &node) in nodes.iter().enumerate() {
        let row = Node { next: nodes[(n + 1) % len], seen: 0, count: n as u64, counts: [0; 2] };
        graph.nodes.init(node, row).unwrap();
    }
    graph
}

fn message(run: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    payload.downcast_ref::<String>().expect("a message").clone()
}

/// This was a plain load during another thread's plain store.
#[test]
fn atomics_of_another_object_are_not_the_own_ones() {
    for threads in [1, 2] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut graph = ring(3000);
            for how in 0..=6 {
                let text = message(|| graph.execute(Node::go, how));
                assert!(text.contains("kernel `Node::go` has `Node::count` of its own object alone"), "{text}");
            }
            // Fields that are not declared as read are not loaded.
            let text = message(|| graph.execute(Node::go_in_array, ()));
            assert!(text.contains("`Node::counts` has 0 elements"), "{text}");
        });
    }
}

#[test]
fn what_a_kernel_may_do_it_still_may() {
    let mut graph = ring(100);
    graph.execute(Node::alone, 3);
    assert!(graph.nodes.column(node::seen).iter().all(|&seen| seen == 3));
    graph.execute(Node::look, ());
    assert!(graph.nodes.column(node::seen).iter().all(|&seen| seen == 8));
    // Sequential code may do anything to every object.
    let first = graph.nodes.links().next().unwrap();
    assert_eq!(graph.get(first).peek(3), 4);
    assert_eq!(graph.get_mut(first).next.peek(2), 4);
    assert_eq!(graph.get(first).peek(0), 5);
}
