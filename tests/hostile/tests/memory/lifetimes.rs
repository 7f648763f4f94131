//! Guards and refs at the end of their lives: leaked, swapped, kept in collections.

use std::collections::BTreeMap;
use std::mem;

use ikra::prelude::*;
use ikra_hostile_tests::outcome;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub x: u32,
    pub next: Link<Node>,
    #[inline_array(1)]
    pub list: InnerArray<u32>,
    #[inline_array]
    pub slots: [u32; 2],
}

#[soa_methods]
impl Node {
    #[kernel]
    pub fn step(&mut self) {
        self.x += self.next.list().len() as u32;
        self.slots[0] += 1;
    }
    #[kernel]
    pub fn take_apart(&mut self) {
        let taken: Vec<Ref<Node>> = (0..4).map(|_| self.next).collect();
        let shown: Vec<u32> = taken.iter().flat_map(|node| node.list().iter().collect::<Vec<_>>()).collect();
        let kept: BTreeMap<u32, Ref<Node>> = taken.iter().map(|node| (node.link().id(), *node)).collect();
        self.x = shown.len() as u32 + kept.len() as u32;
        mem::forget((taken, kept));
    }
}

#[soa_world]
pub struct Graph {
    pub nodes: Objects<Node>,
}

fn graph(count: usize) -> Graph {
    let mut graph = Graph::new();
    let node = |n: usize| Node {
        x: n as u32,
        next: Link::from_index((n + 1) % count).unwrap(),
        list: vec![n as u32; n % 5].into(),
        slots: [n as u32; 2],
    };
    graph.nodes.extend((0..count).map(node)).unwrap();
    graph
}

#[test]
fn guards_that_are_forgotten() {
    let mut graph = graph(50);
    let links: Vec<_> = graph.nodes.links().collect();
    for link in &links {
        let mut guard = graph.get_mut(*link);
        guard.x = 1_000;
        guard.slots[1] = 1_000;
        if let Some(element) = guard.list.iter_mut().next() {
            *element = 1_000;
        }
        mem::forget(guard);
    }
    // Nothing was stored, and no guard blocks the next one.
    assert!(
        graph
            .nodes
            .iter()
            .zip(0..)
            .all(|(row, n)| row.x == n && row.slots == [n; 2] && row.list.iter().all(|e| *e == n))
    );
    graph.execute(Node::step, ());
    graph.get_mut(links[3]).x = 7;
    assert_eq!(graph.get(links[3]).x(), 7);
}

/// Values in guards can be swapped. Arrays can be swapped too, but then neither is stored: both guards report it.
#[test]
fn guards_that_are_exchanged() {
    let (mut a, mut b) = (graph(20), graph(30));
    let (one, other) = (a.nodes.links().nth(4).unwrap(), b.nodes.links().nth(8).unwrap());
    {
        let (mut first, mut second) = (a.get_mut(one), b.get_mut(other));
        first.x = 100;
        second.x = 200;
        mem::swap(&mut first.x, &mut second.x);
        drop(second);
        first.list.iter_mut().for_each(|element| *element += 1);
    }
    assert_eq!((a.get(one).x(), b.get(other).x()), (200, 100));
    assert_eq!(a.nodes.read(one).unwrap().list.to_vec(), [5; 4]);
    let ended = outcome(|| {
        let (mut first, mut second) = (a.get_mut(one), b.get_mut(other));
        mem::swap(&mut first.slots, &mut second.slots);
        first.slots[0] = 77;
        second.slots[1] = 78;
    });
    assert!(ended.message().is_some_and(|message| message.contains("another object's handle")), "{ended:?}");
    for (graph, count) in [(&mut a, 20), (&mut b, 30)] {
        assert!(graph.nodes.iter().zip(0..).all(|(row, n)| row.slots == [n; 2]), "of {count}");
        graph.execute(Node::step, ());
        assert!(graph.nodes.iter().zip(0..).all(|(row, n)| row.slots == [n + 1, n]), "of {count}");
    }
}

#[test]
fn refs_in_collections() {
    let mut graph = graph(5_000);
    graph.execute(Node::take_apart, ());
    let expected = |n: usize| 1 + 4 * ((n + 1) % 5_000 % 5) as u32;
    assert!(graph.nodes.iter().enumerate().all(|(n, row)| row.x == expected(n)));
    let refs: Vec<_> = graph.all::<Node>().collect();
    let shuffled: Vec<_> = (0..5_000).map(|n| refs[n * 7 % 5_000]).collect();
    assert!(
        shuffled
            .iter()
            .enumerate()
            .all(|(n, node)| node.link().index() == n * 7 % 5_000 && node.x() == expected(n * 7 % 5_000))
    );
    std::thread::scope(|scope| {
        for part in shuffled.chunks(1_250) {
            scope.spawn(move || assert!(part.iter().all(|node| node.next().slots().get(0) < 5_000)));
        }
    });
}
