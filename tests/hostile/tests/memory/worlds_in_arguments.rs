//! Arguments that hold worlds: while a kernel runs, other worlds and their parts are moved, swapped and dropped.

use std::mem;
use std::sync::{Mutex, RwLock};

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, THREADS, on_threads};

#[soa_class]
#[derive(Clone, Debug)]
pub struct Leaf {
    pub tag: u64,
    pub twin: Link<Leaf>,
}

#[soa_class]
pub struct Job {
    pub found: u64,
}

#[soa_world]
#[derive(Clone)]
pub struct Tree {
    pub leaves: Objects<Leaf>,
}

#[soa_world]
pub struct Jobs {
    pub jobs: Objects<Job>,
}

#[soa_methods]
impl Leaf {
    #[kernel(snapshot(tag))]
    pub fn copy(&mut self) {
        self.tag = self.twin.tag();
    }
}

fn tree(count: usize, tag: u64) -> Tree {
    let mut tree = Tree::new();
    let twin = |n: usize| Link::from_index((n + 1) % count).unwrap();
    tree.leaves.extend((0..count).map(|n| Leaf { tag, twin: twin(n) })).unwrap();
    tree
}

type Shelf = [Mutex<Option<Box<Tree>>>; 3];

#[soa_methods]
impl Job {
    /// Applies a numbered operation to the worlds on the shelf.
    #[kernel]
    pub fn rummage(&mut self, shelf: &Shelf) {
        let id = self.link().id() as usize;
        if id % 50 != 0 {
            self.found = 1;
            return;
        }
        let (a, b) = (id / 50 % 3, (id / 50 + 1) % 3);
        let lock = |n: usize| shelf[n].lock().unwrap();
        // Lock in a fixed order, to prevent deadlock.
        let (mut first, mut second) = (lock(a.min(b)), lock(a.max(b)));
        match id / 150 % 6 {
            0 => mem::swap(&mut *first, &mut *second),
            1 => {
                if let (Some(first), Some(second)) = (&mut *first, &mut *second) {
                    mem::swap(&mut first.leaves, &mut second.leaves);
                }
            }
            2 => {
                if let (Some(first), Some(second)) = (&mut *first, &mut *second) {
                    mem::swap(World::state_mut(first.as_mut()), World::state_mut(second.as_mut()));
                }
            }
            3 => drop(mem::replace(&mut *first, Some(Box::new(tree(20 + id % 7, 5))))),
            4 => *second = first.take().or_else(|| Some(Box::new(tree(9, 5)))),
            _ => {
                if let Some(first) = &mut *first {
                    let moved = mem::take(&mut first.leaves);
                    first.leaves = moved.clone();
                }
            }
        }
        for tree in [&mut first, &mut second] {
            if let Some(tree) = tree.as_mut() {
                tree.execute(Leaf::copy, ());
                let tags = tree.all::<Leaf>().map(|leaf| leaf.twin().twin().tag());
                self.found = tags.map(|tag| u64::from(tag != 5)).sum::<u64>() + 1;
            }
        }
    }
    /// Reads a world that other threads read too.
    #[kernel]
    pub fn read(&mut self, tree: &RwLock<Tree>) {
        let tree = tree.read().unwrap();
        let leaf = tree.get(Link::<Leaf>::from_index(self.link().index() % 50).unwrap());
        self.found = leaf.twin().twin().tag();
    }
    /// Reads a borrowed world.
    #[kernel]
    pub fn look(&mut self, tree: &Tree) {
        self.found = tree.get(Link::<Leaf>::from_id(1).unwrap()).twin().tag() + tree.all::<Leaf>().count() as u64;
    }
}

fn jobs() -> Jobs {
    let mut jobs = Jobs::new();
    jobs.jobs.extend((0..MANY).map(|_| Job { found: 0 })).unwrap();
    jobs
}

#[test]
fn that_are_exchanged_and_dropped() {
    for threads in THREADS {
        on_threads(threads, || {
            let shelf: Shelf = [20, 30, 10].map(|count| Mutex::new(Some(Box::new(tree(count, 5)))));
            let mut jobs = jobs();
            jobs.execute(Job::rummage, &shelf);
            assert!(jobs.jobs.iter().all(|row| row.found <= 1), "all leaves have the tag");
            for tree in shelf {
                if let Some(mut tree) = tree.into_inner().unwrap() {
                    tree.execute(Leaf::copy, ());
                    assert!(tree.leaves.iter().all(|leaf| leaf.tag == 5));
                }
            }
        });
    }
}

/// Several threads read worlds that were never linked before.
#[test]
fn that_are_read_by_many() {
    for threads in THREADS {
        on_threads(threads, || {
            let mut jobs = jobs();
            for round in 0..5 {
                let lent = tree(50, round);
                jobs.execute(Job::look, &lent);
                assert!(jobs.jobs.iter().all(|row| row.found == 50 + round));
                jobs.execute(Job::read, &RwLock::new(tree(50, round)));
                assert!(jobs.jobs.iter().all(|row| row.found == round));
            }
        });
    }
}
