//! Kernels that catch panics in their own calls, both Ikra's and others: for all other code the kernel has not
//! panicked.

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, THREADS, hash, hush, is_long, on_threads};

#[soa_class]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    pub x: u32,
    pub old: u32,
    #[inline_array(1)]
    pub q: InnerArray<u32>,
    #[inline_array]
    pub slots: [u32; 3],
    #[atomic]
    pub hits: u32,
    pub next: Link<Item>,
    pub bad: bool,
}

/// The cause of a panic within the kernel.
#[derive(Clone, Copy, Debug)]
pub enum Cause {
    Index,
    Range,
    MutableIndex,
    Objects,
    Resolve,
    Own,
    Payload,
    Resumed,
    Overflow,
    Thread,
}

const CAUSES: [Cause; 10] = [
    Cause::Index,
    Cause::Range,
    Cause::MutableIndex,
    Cause::Objects,
    Cause::Resolve,
    Cause::Own,
    Cause::Payload,
    Cause::Resumed,
    Cause::Overflow,
    Cause::Thread,
];

/// Panics for the given cause.
fn fail(cause: Cause) {
    match cause {
        Cause::Own => panic!("on purpose"),
        Cause::Payload => panic_any("on purpose".to_owned()),
        Cause::Overflow => {
            let most = std::hint::black_box(u32::MAX);
            let _ = most.checked_add(1).expect("overflow");
        }
        Cause::Thread => {
            let ended = std::thread::scope(|scope| scope.spawn(|| panic!("on purpose")).join());
            resume_unwind(ended.expect_err("it panics"));
        }
        _ => resume_unwind(Box::new(7_u8)),
    }
}

/// A panic that the method catches and ignores.
macro_rules! caught {
    ($self:ident, $cause:ident) => {
        if $self.bad {
            let ended = catch_unwind(AssertUnwindSafe(|| match $cause {
                Cause::Index => _ = $self.q.get(1000),
                Cause::Range => _ = $self.q.range(1000..2000).count(),
                Cause::MutableIndex => _ = $self.slots[$self.x as usize + 1000],
                Cause::Objects => _ = $self.all::<Item>().range(..usize::MAX).count(),
                Cause::Resolve => _ = $self.resolve(Link::<Item>::from_id(u32::MAX).unwrap()).link(),
                cause => fail(cause),
            }));
            assert!(ended.is_err());
        }
    };
}

#[soa_methods]
impl Item {
    #[kernel]
    pub fn change(&mut self, cause: Cause) {
        caught!(self, cause);
        self.x += 1;
        self.slots[2] += self.x;
        self.q[0] += 1;
        self.hits.add(1);
    }
    #[kernel(snapshot(old, q, slots))]
    pub fn shift(&mut self, cause: Cause) {
        caught!(self, cause);
        self.old = self.next.old().rotate_left(3) ^ self.x;
        self.q[0] = self.next.q()[0];
        for n in 0..3 {
            self.slots[n] = self.next.slots()[n] + 1;
        }
    }
    #[kernel(reduce(Sum))]
    pub fn count(&mut self, cause: Cause) -> u64 {
        caught!(self, cause);
        self.x += 1;
        1
    }
    #[kernel]
    pub fn label(&mut self, cause: Cause) -> (u32, String) {
        caught!(self, cause);
        self.x += 1;
        (self.x, format!("{}", self.x))
    }
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Item>, cause: Cause) {
        caught!(self, cause);
        self.old = self.old.rotate_left(1) ^ other.link().id();
    }
    #[kernel]
    pub fn make(id: u32, cause: Cause) -> Self {
        if id % 5000 == 7 {
            assert!(catch_unwind(|| fail(cause)).is_err());
        }
        Item { x: id, old: id, q: [id].into(), slots: [id; 3], hits: id, next: Link::from_id(1).unwrap(), bad: false }
    }
}

#[soa_class]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plain {
    pub x: u32,
    pub to: Link<Item>,
}

#[soa_methods]
impl Plain {
    #[kernel]
    pub fn make(id: u32, cause: Cause) -> Self {
        if id % 5000 == 7 {
            assert!(catch_unwind(|| fail(cause)).is_err());
        }
        Plain { x: id, to: Link::from_id(1).unwrap() }
    }
}

#[soa_world]
pub struct Store {
    pub items: Objects<Item>,
    pub plain: Objects<Plain>,
}

fn store(count: usize, is_bad: impl Fn(usize) -> bool) -> Store {
    let mut store = Store::new();
    store
        .items
        .extend((0..count).map(|n| Item {
            x: n as u32,
            old: n as u32,
            q: [n as u32, 1].into(),
            slots: [n as u32; 3],
            hits: 0,
            next: Link::from_index((n + 1) % count).unwrap(),
            bad: is_bad(n),
        }))
        .unwrap();
    store
}

/// The results of all executors on a world with such objects. Panics that the objects catch change nothing.
fn results(count: usize, cause: Cause, is_bad: impl Fn(usize) -> bool + Copy) -> Vec<u64> {
    let mut world = store(count, is_bad);
    let list: Vec<_> = world.items.links().step_by(2).collect();
    let mut all = Vec::new();
    world.execute(Item::change, cause);
    all.push(hash(world.items.column(item::x)));
    world.over(1..).execute(Item::change, cause);
    world.over(&list).execute(Item::change, cause);
    world.execute(Item::change, cause);
    all.push(hash(world.items.iter().map(|row| (row.x, row.slots, row.q.to_vec(), row.hits))));
    world.execute(Item::shift, cause);
    world.over(1..).execute(Item::shift, cause);
    world.over(&list).execute(Item::shift, cause);
    all.push(hash(world.items.iter().map(|row| (row.old, row.slots, row.q.to_vec()))));
    all.push(world.execute_and_reduce(Item::count, cause, Sum));
    all.push(world.over(1..).execute_and_reduce(Item::count, cause, Sum));
    all.push(world.over(&list).execute_and_reduce(Item::count, cause, Sum));
    all.push(hash(world.execute_and_collect(Item::label, cause)));
    all.push(hash(world.items.column(item::x)));
    all.push(world.construct(count, Plain::make, cause).unwrap().count() as u64);
    all.push(hash(&world.plain));
    all.push(world.construct(count / 8, Item::make, cause).unwrap().count() as u64);
    all.push(hash(world.items.column(item::x)));
    let mut small = store(200, |n| n == 199);
    small.execute_pairs(Item::meet, cause);
    all.push(hash(small.items.column(item::old)));
    all
}

fn attack(cause: Cause, is_bad: impl Fn(usize) -> bool + Copy + Send + Sync) {
    hush();
    // Nothing fails.
    let expected = on_threads(1, || results(MANY, cause, |_| false));
    for &threads in if is_long() { &THREADS[..] } else { &THREADS[2..] } {
        let found = on_threads(threads, || results(MANY, cause, is_bad));
        assert_eq!(found, expected, "{cause:?}, {threads} threads");
    }
}

/// One of many objects catches a panic.
#[test]
fn of_one_object() {
    for cause in CAUSES {
        attack(cause, |n| n == 300);
    }
}

/// Several objects per chunk catch panics.
#[test]
fn of_many_objects() {
    for cause in [Cause::Index, Cause::MutableIndex, Cause::Own] {
        attack(cause, |n| n % 397 == 0);
    }
}

/// A kernel catches one panic and ends by the next: the caller gets the second.
#[test]
fn and_a_second_one_that_is_not_caught() {
    #[soa_class]
    pub struct Thing {
        pub x: u32,
        #[inline_array]
        pub q: [u32; 2],
    }
    #[soa_methods]
    impl Thing {
        #[kernel]
        pub fn twice(&mut self) {
            let id = self.link().id();
            if id == 400 || id == 15_000 {
                let _ = catch_unwind(AssertUnwindSafe(|| self.q.range(id as usize..).count()));
            }
            self.x += 1;
            assert!(id != 15_000, "on purpose: {id}");
        }
    }
    #[soa_world]
    pub struct Things {
        pub things: Objects<Thing>,
    }
    for threads in THREADS {
        let mut world = Things::new();
        world.things.extend((0..MANY).map(|_| Thing { x: 0, q: [0; 2] })).unwrap();
        let ended = ikra_hostile_tests::outcome(|| on_threads(threads, || world.execute(Thing::twice, ())));
        assert_eq!(ended.message(), Some("on purpose: 15000"), "{threads} threads");
        // Afterwards everything still runs.
        let ended =
            ikra_hostile_tests::outcome(|| on_threads(threads, || world.over(..14_000).execute(Thing::twice, ())));
        assert_eq!(ended.message(), None);
        assert!(world.things.column(thing::x)[..14_000].iter().all(|&x| x == 1 || x == 2));
        assert_eq!(world.things.column(thing::x)[14_999], 0);
    }
}
