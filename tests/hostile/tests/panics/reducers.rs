//! Reducers that panic, catch panics, and run kernels: a reduction returns the result of all calls, or panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, THREADS, hush, on_threads, outcome};

/// The failure of `combine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Right,
    /// At the result of this object.
    PanicsAt(u64),
    /// When chunk results are combined, after all calls.
    PanicsLate,
    /// Catches Ikra's own panics from another world.
    Catches,
    Identity,
}

#[derive(Clone, Copy)]
pub struct Hostile<'a>(How, &'a AtomicU32);

impl Reducer<u64> for Hostile<'_> {
    fn identity(&self) -> u64 {
        assert!(self.0 != How::Identity, "on purpose");
        0
    }
    fn combine(&self, a: u64, b: u64) -> u64 {
        match self.0 {
            How::PanicsAt(id) if b == id => panic!("on purpose: {id}"),
            // One chunk's result is at most this large.
            How::PanicsLate if b > 8192 * 40_000 => panic!("on purpose"),
            How::Catches if b % 5_000 == 77 => {
                let mut other = items(10);
                let ended = catch_unwind(AssertUnwindSafe(|| other.execute(Item::index, 5)));
                assert!(ended.is_err());
                self.1.fetch_add(1, SeqCst);
            }
            _ => {}
        }
        a + b
    }
}

#[soa_class]
pub struct Item {
    pub x: u32,
    pub old: u32,
    #[inline_array]
    pub q: [u32; 2],
}

#[soa_methods]
impl Item {
    #[kernel(reduce(Hostile<'_>))]
    pub fn id(&mut self) -> u64 {
        self.x += 1;
        u64::from(self.link().id())
    }
    #[kernel(reduce(Hostile<'_>), snapshot(old))]
    pub fn id_of_old(&mut self) -> u64 {
        self.old += 1;
        u64::from(self.link().id())
    }
    #[kernel]
    pub fn index(&mut self, n: u32) {
        self.x = self.q[n as usize];
    }
}

#[soa_world]
pub struct Store {
    pub items: Objects<Item>,
}

fn items(count: usize) -> Store {
    let mut store = Store::new();
    store.items.extend((0..count).map(|_| Item { x: 0, old: 0, q: [0; 2] })).unwrap();
    store
}

const TOTAL: u64 = MANY as u64 * (MANY as u64 + 1) / 2;

#[test]
fn that_panic_in_a_chunk() {
    for threads in THREADS {
        on_threads(threads, || {
            for id in [1, 12_345, MANY as u64] {
                let (mut store, count) = (items(MANY), AtomicU32::new(0));
                let ended = outcome(|| store.execute_and_reduce(Item::id, (), Hostile(How::PanicsAt(id), &count)));
                assert_eq!(ended.message(), Some(&*format!("on purpose: {id}")), "{threads} threads");
                let ended =
                    outcome(|| store.execute_and_reduce(Item::id_of_old, (), Hostile(How::PanicsAt(id), &count)));
                assert_eq!(ended.message(), Some(&*format!("on purpose: {id}")), "{threads} threads");
                assert!(store.items.iter().all(|row| row.old == 0), "a snapshot is as before");
                assert_eq!(store.execute_and_reduce(Item::id, (), Hostile(How::Right, &count)), TOTAL);
            }
        });
    }
}

#[test]
fn that_panic_when_all_calls_have_ended() {
    for threads in THREADS {
        on_threads(threads, || {
            for how in [How::PanicsLate, How::Identity] {
                let (mut store, count) = (items(MANY), AtomicU32::new(0));
                let ended = outcome(|| store.execute_and_reduce(Item::id_of_old, (), Hostile(how, &count)));
                if ended.message().is_some() {
                    assert!(store.items.iter().all(|row| row.old == 0), "a snapshot is as before");
                } else {
                    assert!(store.items.iter().all(|row| row.old == 1));
                }
                assert_eq!(store.execute_and_reduce(Item::id_of_old, (), Hostile(How::Right, &count)), TOTAL);
            }
        });
    }
}

#[test]
fn that_catch_panics_of_another_world() {
    hush();
    for threads in THREADS {
        on_threads(threads, || {
            let (mut store, count) = (items(MANY), AtomicU32::new(0));
            assert_eq!(
                store.execute_and_reduce(Item::id, (), Hostile(How::Catches, &count)),
                TOTAL,
                "{threads} threads"
            );
            assert!(store.items.iter().all(|row| row.x == 1));
            assert!(count.load(SeqCst) >= 4);
            let list: Vec<_> = store.items.links().collect();
            let sum = store.over(&list).execute_and_reduce(Item::id_of_old, (), Hostile(How::Catches, &count));
            assert_eq!(sum, TOTAL);
            assert!(store.items.iter().all(|row| row.old == 1));
        });
    }
}
