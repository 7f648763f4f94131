//! Programs in which ranks once had other values than one place.
#![allow(missing_docs, reason = "a test, not a library")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::{Error, Place, prelude::*};
use ikra_cluster::Cluster;

#[soa_class]
pub struct Node {
    pub v: u32,
    pub next: Link<Node>,
    #[atomic]
    pub n: u32,
}

#[soa_class]
pub struct Bag {
    #[atomic]
    #[inline_array(0)]
    pub many: InnerArray<u32>,
}

fn bump(node: Ref<'_, Node, impl Phase>) -> u32 {
    node.next().n().add(1);
    0
}

#[soa_methods]
impl Node {
    #[kernel]
    pub fn step(&mut self) {
        self.v += 1;
    }
    #[kernel]
    pub fn is_new(&self) -> bool {
        self.v == 0
    }
    #[kernel]
    pub fn add(&self) {
        self.next.n().add(1);
    }
    #[kernel]
    pub fn add_but(&mut self, bad: u32) {
        assert!(self.link().id() != bad, "a failure that a test expects");
        self.v += 1;
        self.next.n().add(1);
    }
    #[kernel]
    pub fn count_but(&self, bad: u32) {
        assert!(self.link().id() != bad, "a failure that a test expects");
        self.next.n().add(1);
    }
    #[kernel]
    pub fn breed_but(&mut self, young: Spawn<Bag>, bad: u32) {
        self.v += 1;
        assert!(self.link().id() != bad, "a failure that a test expects");
        young.push(Bag { many: InnerArray::default() });
    }
    #[kernel(updates(add(n)))]
    pub fn hidden(&mut self) {
        self.v = Some(self.next).map_or(0, bump);
    }
    #[kernel(unordered(n))]
    pub fn ticket(&self) -> u32 {
        self.next.n().fetch_add(1)
    }
    #[kernel(unordered(n))]
    pub fn leave(&mut self) {
        if self.next.n().fetch_add(1) % 2 == 0 {
            self.remove();
        }
    }
    #[kernel(unordered(n))]
    pub fn draw(&self) {
        self.next.n().fetch_add(1);
    }
}

#[soa_methods]
impl Bag {
    #[kernel]
    pub fn fill(&self) {
        for element in &self.many {
            element.add(1);
        }
    }
}

#[soa_world]
pub struct Town {
    pub nodes: Objects<Node>,
    pub bags: Objects<Bag>,
}

/// A world whose nodes link to the one so many further, or all to the first.
fn world(len: usize, step: usize) -> Town {
    let mut world = Town::new();
    let nodes: Vec<_> = world.nodes.reserve(len).unwrap().collect();
    for n in 0..len {
        let next = if step == 0 { nodes[0] } else { nodes[(n + step) % len] };
        world.nodes.init(nodes[n], Node { v: 0, next, n: 0 }).unwrap();
    }
    world.bags.extend((0..len).map(|_| Bag { many: [0].into_iter().collect() })).unwrap();
    world
}

#[test]
fn own_atomic_elements_are_changed_on_all_ranks() {
    let full = Cluster::threads(3, |cluster| {
        let mut world = world(600, 1);
        cluster.share(&mut world).unwrap();
        world.on(Place::Cluster).execute(Bag::fill, ()).unwrap();
        world.bags.iter().filter(|bag| bag.many[..] == [1]).count()
    });
    assert_eq!(full, [600; 3]);
}

#[test]
#[cfg(debug_assertions)]
fn hidden_updates_of_other_objects_panic() {
    let failed = Cluster::threads(2, |cluster| {
        let mut world = world(600, 150);
        cluster.share(&mut world).unwrap();
        let hidden = AssertUnwindSafe(|| world.on(Place::Cluster).execute(Node::hidden, ()));
        catch_unwind(hidden).map_or(true, |result| result.is_err())
    });
    assert_eq!(failed, [true; 2]);
}

/// Neither the rank that has failed nor the others read what a kernel has changed in part.
#[test]
fn a_failed_kernel_leaves_no_values() {
    let ended = Cluster::threads(3, |cluster| {
        let mut world = world(900, 1);
        cluster.share(&mut world).unwrap();
        for _ in 0..5 {
            world.on(Place::Cluster).execute(Node::add, ()).unwrap();
        }
        cluster.gather(&mut world).unwrap();
        let result = catch_unwind(AssertUnwindSafe(|| world.on(Place::Cluster).execute(Node::add_but, 1).is_ok()));
        assert!(!result.unwrap_or(false), "it fails on each rank");
        let n = catch_unwind(AssertUnwindSafe(|| world.nodes.copy_column(node::n)));
        let v = catch_unwind(AssertUnwindSafe(|| world.nodes.column(node::v).to_vec()));
        let links = catch_unwind(AssertUnwindSafe(|| world.nodes.column(node::next).len()));
        (n.is_err(), v.is_err(), links.is_ok())
    });
    assert_eq!(ended, [(true, true, true); 3]);
}

/// All ranks run a kernel over a list, or with births, for all objects. With other threads, they come to other ones.
#[test]
fn a_failed_kernel_for_all_objects_leaves_no_values() {
    // Whether each rank reads `n`, `v`, and `many` of the other class afterwards.
    let readable = |how: u32| {
        Cluster::threads(3, |cluster| {
            let mut world = world(900, 1);
            cluster.share(&mut world).unwrap();
            let all = world.on(Place::Cluster).select(Node::is_new, ()).selection().unwrap();
            let mut place = world.on(Place::Cluster);
            let result = catch_unwind(AssertUnwindSafe(|| match how {
                0 => place.over(&all).execute(Node::add_but, 500),
                1 => place.over(&all).execute(Node::count_but, 500),
                _ => place.execute(Node::breed_but, 500),
            }));
            assert!(!result.is_ok_and(|result| result.is_ok()), "it fails on each rank");
            let n = catch_unwind(AssertUnwindSafe(|| world.nodes.copy_column(node::n)));
            let v = catch_unwind(AssertUnwindSafe(|| world.nodes.column(node::v).to_vec()));
            let many = catch_unwind(AssertUnwindSafe(|| world.bags.iter().filter(|bag| bag.many.is_empty()).count()));
            [n.is_ok(), v.is_ok(), many.is_ok()]
        })
    };
    assert_eq!(readable(0), [[false, false, true]; 3]);
    assert_eq!(readable(1), [[false, true, true]; 3]);
    assert_eq!(readable(2), [[false, false, false]; 3]);
}

#[test]
fn unordered_kernels_have_no_outcome_of_their_own() {
    let refused = Cluster::threads(2, |cluster| {
        let mut world = world(100, 0);
        cluster.share(&mut world).unwrap();
        let error = world.on(Place::Cluster).execute_and_collect(Node::ticket, ()).unwrap_err();
        assert!(matches!(error, Error::Cluster { .. }), "{error}");
        error.to_string().contains("is `unordered`, and has results")
    });
    assert_eq!(refused, [true; 2]);
    let refused = Cluster::threads(2, |cluster| {
        let mut world = world(100, 0);
        cluster.share(&mut world).unwrap();
        world.on(Place::Cluster).execute(Node::leave, ()).is_err()
    });
    assert_eq!(refused, [true; 2]);
}

#[test]
fn unordered_kernels_run_beside_classes_with_atomic_arrays() {
    let drawn = Cluster::threads(2, |cluster| {
        let mut world = world(600, 0);
        cluster.share(&mut world).unwrap();
        world.on(Place::Cluster).execute(Node::draw, ()).unwrap();
        world.nodes.copy_column(node::n)[0]
    });
    assert_eq!(drawn, [600; 2]);
}

#[test]
fn worlds_of_ranks_that_have_ended_do_not_wait() {
    let worlds = Cluster::threads(2, |cluster| {
        let mut world = world(600, 1);
        cluster.share(&mut world).unwrap();
        world.on(Place::Cluster).execute(Node::step, ()).unwrap();
        world
    });
    let read = catch_unwind(AssertUnwindSafe(|| worlds[0].nodes.column(node::v)[0]));
    assert!(read.is_err(), "its other values are nowhere");
    let worlds = Cluster::threads(2, |cluster| {
        let mut world = world(600, 1);
        cluster.share(&mut world).unwrap();
        world.on(Place::Cluster).execute(Node::step, ()).unwrap();
        cluster.gather(&mut world).unwrap();
        world
    });
    assert!(worlds.iter().all(|world| world.nodes.column(node::v) == [1; 600]));
}
