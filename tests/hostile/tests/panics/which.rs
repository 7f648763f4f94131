//! Several objects panic: with any number of threads, the caller gets the panic of the object with the lowest id.

use std::panic::panic_any;

use ikra::Place;
use ikra::prelude::*;
use ikra_hostile_tests::{MANY, on_threads, panics};

#[soa_class]
#[derive(Clone)]
pub struct Item {
    pub bad: bool,
    pub x: u32,
    #[inline_array]
    pub q: [u32; 2],
}

/// The payload: the id of the object that panicked.
struct Who(u32);

#[soa_methods]
impl Item {
    #[kernel]
    pub fn run(&mut self) {
        self.x += 1;
        if self.bad {
            panic_any(Who(self.link().id()));
        }
    }
    #[kernel(snapshot(x))]
    pub fn shift(&mut self) {
        self.x += 1;
        if self.bad {
            panic_any(Who(self.link().id()));
        }
    }
    #[kernel(reduce(Sum))]
    pub fn count(&mut self) -> u32 {
        if self.bad {
            panic_any(Who(self.link().id()));
        }
        1
    }
    #[kernel]
    pub fn label(&self) -> String {
        if self.bad {
            panic_any(Who(self.link().id()));
        }
        String::new()
    }
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Item>) {
        self.x += 1;
        if self.bad && other.link().id() == 77 {
            panic_any(Who(self.link().id()));
        }
    }
    #[kernel]
    pub fn index(&mut self) {
        if self.bad {
            let id = self.link().id();
            self.x = self.q[id as usize];
        }
    }
    #[kernel]
    pub fn make(index: u32, bad: &[u32]) -> Self {
        if bad.contains(&(index + 1)) {
            panic_any(Who(index + 1));
        }
        Self { bad: false, x: index, q: [0; 2] }
    }
}

#[soa_world]
pub struct Store {
    pub items: Objects<Item>,
}

fn store(count: usize, bad: &[u32]) -> Store {
    let mut store = Store::new();
    let is_bad = |n: usize| bad.contains(&(n as u32 + 1));
    store.items.extend((0..count).map(|n| Item { bad: is_bad(n), x: 0, q: [0; 2] })).unwrap();
    store
}

/// Chunks of several threads fail at once, repeatedly.
fn attack(count: usize, bad: &[u32], first: u32, work: impl Fn(&mut Store) + Send + Sync) {
    for threads in [1, 2, 8] {
        for _ in 0..6 {
            let mut store = store(count, bad);
            let payload = panics(|| on_threads(threads, || work(&mut store)));
            let who = payload.downcast_ref::<Who>().expect("it is the kernel's").0;
            assert_eq!(who, first, "{threads} threads");
        }
    }
}

const BAD: [u32; 7] = [3_001, 7_000, 7_001, 12_345, 12_346, 19_998, 20_000];

#[test]
fn all_objects() {
    attack(MANY, &BAD, 3_001, |store| store.execute(Item::run, ()));
    attack(MANY, &BAD, 3_001, |store| store.on(Place::Host).execute(Item::run, ()).unwrap());
}

#[test]
fn snapshots() {
    attack(MANY, &BAD, 3_001, |store| store.execute(Item::shift, ()));
}

#[test]
fn ranges() {
    attack(MANY, &BAD, 7_000, |store| store.over(3_001..).execute(Item::run, ()));
}

/// Lists run in the order of ids, not in their own order.
#[test]
fn lists() {
    attack(MANY, &BAD, 3_001, |store| {
        let list: Vec<_> = store.items.links().rev().collect();
        store.over(&list).execute(Item::run, ());
    });
    attack(MANY, &BAD, 12_346, |store| {
        let list: Vec<_> = store.items.links().filter(|link| link.id() % 2 == 0 && link.id() != 7_000).collect();
        store.over(&list).execute(Item::run, ());
    });
}

#[test]
fn reductions() {
    attack(MANY, &BAD, 3_001, |store| _ = store.execute_and_reduce(Item::count, (), Sum));
    attack(MANY, &BAD, 7_000, |store| _ = store.over(3_001..).execute_and_reduce(Item::count, (), Sum));
}

#[test]
fn results_in_a_list() {
    attack(MANY, &BAD, 3_001, |store| _ = store.execute_and_collect(Item::label, ()));
}

#[test]
fn pairs() {
    attack(400, &[90, 91, 200, 398], 90, |store| store.execute_pairs(Item::meet, ()));
}

#[test]
fn constructors() {
    attack(10, &[], 9_001, |store| _ = store.construct(MANY, Item::make, &[9_001, 12_000, 19_000]));
}

/// Ikra's own message: only one is reported.
#[test]
fn messages_of_ikra() {
    for threads in [1, 2, 8] {
        for _ in 0..6 {
            let mut store = store(MANY, &BAD);
            let payload = panics(|| on_threads(threads, || store.execute(Item::index, ())));
            let message = payload.downcast_ref::<String>().expect("it has a message");
            assert!(message.contains("index 3001 is out of range"), "{threads} threads: {message}");
        }
    }
}
