//! A world that several threads share before it is linked, while they load and store atomics; and worlds that are
//! passed between threads.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex, RwLock, mpsc};

use ikra::prelude::*;
use ikra_hostile_tests::{hash, on_threads};

#[soa_class]
#[derive(Clone)]
pub struct Node {
    pub tag: u64,
    pub next: Link<Node>,
    #[atomic]
    pub hits: u64,
    #[atomic]
    pub last: Option<Link<Node>>,
    #[inline_array(1)]
    pub near: InnerArray<Link<Node>>,
}

#[soa_methods]
impl Node {
    #[kernel]
    pub fn step(&mut self) {
        self.tag = self.tag.wrapping_mul(5) + u64::from(self.next.link().id()) + self.hits.load();
    }
    #[kernel]
    pub fn hit(&mut self) {
        for other in &self.near {
            other.hits().add(self.tag);
            other.last().claim(self.link());
        }
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Graph {
    pub nodes: Objects<Node>,
}

fn graph(count: usize, tag: u64) -> Graph {
    let mut graph = Graph::new();
    let link = |n: usize| Link::from_index(n % count).unwrap();
    let near = |n: usize| (0..n % 4).map(|k| link(n * 17 + k)).collect();
    graph
        .nodes
        .extend((0..count).map(|n| Node { tag, next: link(n * 7 + 1), hits: 0, last: None, near: near(n) }))
        .unwrap();
    graph
}

/// Four threads simultaneously use a world that was never linked.
#[test]
fn before_it_is_linked() {
    for round in 0..20 {
        let mut world = graph(300, round);
        let start = Barrier::new(4);
        let wrong = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..4_usize {
                let (world, start, wrong) = (&world, &start, &wrong);
                scope.spawn(move || {
                    start.wait();
                    for (n, link) in world.nodes.links().enumerate() {
                        let node = world.get(link);
                        node.hits().add(1);
                        if n % 4 == thread {
                            node.last().store(Some(node.next().link()));
                        }
                        let sum: u64 = node.near().iter().map(|other| other.tag()).sum();
                        if sum != (n % 4) as u64 * round || node.next().tag() != round {
                            wrong.fetch_add(1, SeqCst);
                        }
                    }
                    if world.all::<Node>().count() != 300
                        || world.clone().get(Link::<Node>::from_id(3).unwrap()).tag() != round
                    {
                        wrong.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        assert_eq!(wrong.into_inner(), 0);
        assert!(
            world
                .nodes
                .iter()
                .enumerate()
                .all(|(n, row)| row.hits == 4 && row.last == Some(row.next) && row.near.len() == n % 4)
        );
        world.execute(Node::step, ());
    }
}

/// Pools of several sizes use one world in sequence, from threads outside the pools.
#[test]
fn by_pools_in_turns() {
    let expected = {
        let mut world = graph(9_000, 1);
        on_threads(1, || {
            for _ in 0..6 {
                world.execute(Node::step, ());
                world.execute(Node::hit, ());
            }
            hash(world.nodes.iter().map(|row| (row.tag, row.hits, row.last)).collect::<Vec<_>>())
        })
    };
    for _ in 0..3 {
        let world = Arc::new(Mutex::new(graph(9_000, 1)));
        for threads in [1, 2, 3, 3, 2, 1] {
            let world = world.clone();
            let user = std::thread::spawn(move || {
                let mut world = world.lock().unwrap();
                let world = &mut *world;
                on_threads(threads, || {
                    world.execute(Node::step, ());
                    world.execute(Node::hit, ());
                });
            });
            user.join().unwrap();
        }
        let world = world.lock().unwrap();
        assert_eq!(hash(world.nodes.iter().map(|row| (row.tag, row.hits, row.last)).collect::<Vec<_>>()), expected);
    }
}

/// Readers with `&World` and a writer with `&mut World` alternate.
#[test]
fn behind_a_lock_for_readers() {
    let world = RwLock::new(graph(200, 0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let world = world.read().unwrap();
                    let first = world.get(Link::<Node>::from_id(1).unwrap());
                    assert_eq!(first.tag(), world.all::<Node>().last().unwrap().tag());
                    first.next().hits().add(1);
                }
            });
        }
        scope.spawn(|| {
            for round in 1..100 {
                let mut world = world.write().unwrap();
                world.nodes.column_mut(node::tag).fill(round);
                if round % 10 == 0 {
                    // New objects: the first reader links them.
                    *world = graph(200, round);
                }
            }
        });
    });
}

/// Worlds are sent between threads, and swapped in between.
#[test]
fn sent_around() {
    let (first, last) = {
        let (sender, mut receiver) = mpsc::channel::<(Graph, Graph)>();
        let first = sender;
        for step in 0..4 {
            let (sender, next) = mpsc::channel();
            let from = std::mem::replace(&mut receiver, next);
            std::thread::spawn(move || {
                for (mut a, mut b) in from {
                    match step {
                        0 => std::mem::swap(&mut a, &mut b),
                        1 => std::mem::swap(&mut a.nodes, &mut b.nodes),
                        2 => std::mem::swap(World::state_mut(&mut a), World::state_mut(&mut b)),
                        _ => b.nodes = std::mem::take(&mut a.nodes).clone(),
                    }
                    a.execute(Node::step, ());
                    b.execute(Node::hit, ());
                    if step == 3 {
                        a = b.clone();
                    }
                    sender.send((a, b)).unwrap();
                }
            });
        }
        (first, receiver)
    };
    for round in 0..10 {
        first.send((graph(100 + round, 1), graph(90, 2))).unwrap();
    }
    drop(first);
    let hashes: Vec<u64> = last
        .iter()
        .map(|(a, b)| {
            assert_eq!(a.nodes.len(), b.nodes.len());
            assert!(a.all::<Node>().all(|node| node.next().near().len() < 4));
            hash(a.nodes.iter().map(|row| (row.tag, row.hits)).collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(hashes.len(), 10);
}
