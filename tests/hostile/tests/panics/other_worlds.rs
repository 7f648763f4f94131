//! Kernels that run failing kernels of other worlds: the failure belongs to the other world alone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, THREADS, hush, on_threads, outcome};

#[soa_class]
#[derive(Clone, Debug)]
pub struct Inner {
    pub x: u32,
    #[inline_array]
    pub q: [u32; 2],
}

/// The failure of the other world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    Not,
    Index,
    Panic,
    BadLink,
    /// It runs a third world, which fails, and catches the failure.
    Deeper,
}

#[soa_methods]
impl Inner {
    #[kernel]
    pub fn run(&mut self, how: Failing) {
        let (id, len) = (self.link().id(), self.all::<Inner>().len() as u32);
        if id == len / 2 {
            match how {
                Failing::Not | Failing::BadLink => {}
                Failing::Index => _ = self.q.get(id as usize + 2),
                Failing::Panic => panic!("on purpose"),
                Failing::Deeper => {
                    let mut third = others(len as usize);
                    let ended = catch_unwind(AssertUnwindSafe(|| third.execute(Inner::run, Failing::Index)));
                    assert!(ended.is_err());
                    let mut whole = others(len as usize);
                    whole.execute(Inner::run, Failing::Not);
                    assert!(whole.inner.iter().all(|row| row.x == 1));
                }
            }
        }
        self.x += 1;
    }
    #[kernel(reduce(Sum))]
    pub fn sum(&mut self, how: Failing) -> u32 {
        if how == Failing::Panic && self.link().id() == 3 {
            panic!("on purpose");
        }
        self.x
    }
}

#[soa_world]
pub struct Others {
    pub inner: Objects<Inner>,
}

fn others(count: usize) -> Others {
    let mut others = Others::new();
    others.inner.extend((0..count).map(|_| Inner { x: 0, q: [0; 2] })).unwrap();
    others
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Outer {
    pub x: u32,
    pub old: u32,
    pub bad: bool,
}

/// Runs another world and ignores its failure. The world is local to the call, since this thread may run other calls
/// while it waits.
fn runs_another(count: usize, how: Failing) {
    let mut world = others(count);
    let ended = catch_unwind(AssertUnwindSafe(|| match how {
        Failing::BadLink => world.over(&[Link::from_id(9_999_999).unwrap()]).execute(Inner::run, how),
        _ => world.execute(Inner::run, how),
    }));
    assert_eq!(ended.is_err(), !matches!(how, Failing::Not | Failing::Deeper));
    if ended.is_ok() {
        assert_eq!(world.execute_and_reduce(Inner::sum, how, Sum), count as u32);
    }
    let ended = catch_unwind(AssertUnwindSafe(|| world.execute_and_reduce(Inner::sum, Failing::Panic, Sum)));
    assert!(ended.is_err());
}

#[soa_methods]
impl Outer {
    #[kernel]
    pub fn change(&mut self, count: usize, how: Failing) {
        if self.bad {
            runs_another(count, how);
        }
        self.x += 1;
    }
    #[kernel(snapshot(old))]
    pub fn shift(&mut self, count: usize, how: Failing) {
        if self.bad {
            runs_another(count, how);
        }
        self.old += 1;
    }
    #[kernel(reduce(Sum))]
    pub fn count(&mut self, count: usize, how: Failing) -> u32 {
        if self.bad {
            runs_another(count, how);
        }
        self.x += 1;
        1
    }
    #[kernel]
    pub fn label(&mut self, count: usize, how: Failing) -> Box<u32> {
        if self.bad {
            runs_another(count, how);
        }
        Box::new(self.link().id())
    }
    #[kernel]
    pub fn make(index: u32, count: usize, how: Failing) -> Self {
        if index % 6000 == 17 {
            runs_another(count, how);
        }
        Self { x: index, old: 1, bad: false }
    }
}

#[soa_world]
pub struct Sim {
    pub outer: Objects<Outer>,
}

fn attack(count: usize, how: Failing) {
    hush();
    for threads in THREADS {
        on_threads(threads, || {
            let when = format!("{how:?} in {count} objects, {threads} threads");
            let mut sim = Sim::new();
            sim.outer.extend((0..MANY).map(|n| Outer { x: 0, old: 0, bad: n % 7000 == 11 })).unwrap();
            sim.execute(Outer::change, (count, how));
            assert_eq!(sim.outer.iter().filter(|row| row.x == 1).count(), MANY, "{when}: execute");
            sim.execute(Outer::shift, (count, how));
            assert_eq!(sim.outer.iter().filter(|row| row.old == 1).count(), MANY, "{when}: snapshot");
            assert_eq!(sim.execute_and_reduce(Outer::count, (count, how), Sum), MANY as u32, "{when}: reduce");
            let labels = sim.execute_and_collect(Outer::label, (count, how));
            assert!(labels.iter().map(|label| **label).eq(1..=MANY as u32), "{when}: {} labels", labels.len());
            let made = sim.construct(MANY, Outer::make, (count, how)).unwrap().count();
            assert_eq!((made, sim.outer.len()), (MANY, 2 * MANY), "{when}: construct");
            let wrong =
                sim.outer.iter().skip(MANY).enumerate().filter(|(n, row)| row.x as usize != MANY + n || row.old != 1);
            assert_eq!(wrong.count(), 0, "{when}: construct");
        });
    }
}

#[test]
fn a_small_one_that_fails() {
    for how in [Failing::Not, Failing::Index, Failing::Panic, Failing::BadLink] {
        attack(10, how);
    }
}

/// The threads process chunks of both worlds.
#[test]
fn a_large_one_that_fails() {
    for how in [Failing::Not, Failing::Index, Failing::Panic] {
        attack(9_000, how);
    }
}

#[test]
fn three_deep() {
    attack(10, Failing::Deeper);
    attack(6_000, Failing::Deeper);
}

/// The other world's failure is not caught: the outer world's caller gets it unchanged.
#[test]
fn a_failure_that_is_passed_on() {
    #[soa_class]
    pub struct Passing {
        pub x: u32,
    }
    #[soa_methods]
    impl Passing {
        #[kernel(snapshot(x))]
        pub fn run(&mut self) {
            if self.link().id() == 12_000 {
                others(9_000).execute(Inner::run, Failing::Index);
            }
            self.x += 1;
        }
    }
    #[soa_world]
    pub struct Passed {
        pub all: Objects<Passing>,
    }
    for threads in THREADS {
        let mut world = Passed::new();
        world.all.extend((0..MANY).map(|_| Passing { x: 0 })).unwrap();
        let ended = outcome(|| on_threads(threads, || world.execute(Passing::run, ())));
        let message = ended.message().expect("it panics");
        assert!(message.contains("`Inner::q` has 2 elements, so index 4502 is out of range"), "{message}");
        assert!(world.all.iter().all(|row| row.x == 0), "the snapshot is as before");
    }
}

/// A kernel's argument holds a world, which is changed while another world runs.
#[test]
fn a_world_behind_a_lock_in_the_arguments() {
    use std::sync::Mutex;
    #[soa_class]
    pub struct Asking {
        pub x: u32,
    }
    #[soa_methods]
    impl Asking {
        #[kernel]
        pub fn ask(&mut self, other: &Mutex<Others>) {
            if self.link().id() % 500 == 3 {
                // Too few objects for several threads: no thread waits for the lock while this one holds it.
                let mut other = other.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let ended = catch_unwind(AssertUnwindSafe(|| other.execute(Inner::run, Failing::Index)));
                assert!(ended.is_err());
                other.execute(Inner::run, Failing::Not);
                other.inner.push(Inner { x: 0, q: [1; 2] }).unwrap();
            }
            self.x += 1;
        }
    }
    #[soa_world]
    pub struct Askers {
        pub askers: Objects<Asking>,
    }
    hush();
    for threads in THREADS {
        let mut world = Askers::new();
        world.askers.extend((0..MANY).map(|_| Asking { x: 0 })).unwrap();
        let other = Mutex::new(others(10));
        on_threads(threads, || world.execute(Asking::ask, &other));
        assert_eq!(world.askers.iter().filter(|row| row.x == 1).count(), MANY, "{threads} threads");
        assert_eq!(other.into_inner().unwrap().inner.len(), 10 + MANY / 500);
    }
}
