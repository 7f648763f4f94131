//! Panic payloads with destructors: each is dropped once, even if the destructor panics itself.

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, hush, on_threads, panics};

static MADE: AtomicUsize = AtomicUsize::new(0);
static DROPPED: AtomicUsize = AtomicUsize::new(0);

#[derive(Debug)]
pub struct Counted;

impl Counted {
    fn new() -> Self {
        MADE.fetch_add(1, SeqCst);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, SeqCst);
    }
}

/// Runs kernels when it is dropped.
struct Runs(Store);

impl Drop for Runs {
    fn drop(&mut self) {
        let before = self.0.items.column(item::x)[0];
        self.0.execute(Item::count, ());
        assert!(self.0.items.column(item::x).iter().all(|&x| x == before + 1));
        DROPPED.fetch_add(1, SeqCst);
    }
}

/// Panics when it is dropped.
struct Panics;

impl Drop for Panics {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("on purpose, when dropped");
        }
    }
}

#[soa_class]
pub struct Item {
    pub x: u32,
    #[inline_array]
    pub q: [u32; 2],
}

#[soa_methods]
impl Item {
    #[kernel]
    pub fn count(&mut self) {
        self.x += 1;
    }
    #[kernel]
    pub fn fail_counted(&mut self) {
        if self.link().id() % 1000 == 999 {
            panic_any(Counted::new());
        }
    }
    #[kernel]
    pub fn fail_running(&mut self) {
        if self.link().id() % 1000 == 999 {
            MADE.fetch_add(1, SeqCst);
            panic_any(Runs(store(6_000)));
        }
    }
    #[kernel]
    pub fn fail_panicking(&mut self, id: u32) {
        self.x += 1;
        if self.link().id() == id || id == 0 && self.link().id() % 1000 == 999 {
            panic_any(Panics);
        }
    }
    #[kernel]
    pub fn fail_and_collect(&self) -> Counted {
        if self.link().id() == 15_000 {
            panic_any(Counted::new());
        }
        Counted::new()
    }
}

#[soa_world]
pub struct Store {
    pub items: Objects<Item>,
}

fn store(count: usize) -> Store {
    let mut store = Store::new();
    store.items.extend((0..count).map(|_| Item { x: 0, q: [0; 2] })).unwrap();
    store
}

/// Sequential, because all tests use the counters.
#[test]
fn dropped_once() {
    for threads in [1, 2, 8] {
        on_threads(threads, || {
            let mut store = store(MANY);
            for _ in 0..3 {
                let payload = panics(|| store.execute(Item::fail_counted, ()));
                assert!(payload.downcast_ref::<Counted>().is_some());
                assert_eq!(MADE.load(SeqCst), DROPPED.load(SeqCst) + 1);
                drop(payload);
                let payload = panics(|| store.execute_and_collect(Item::fail_and_collect, ()));
                assert!(payload.downcast_ref::<Counted>().is_some());
                drop(payload);
                assert_eq!(MADE.load(SeqCst), DROPPED.load(SeqCst));
                let payload = panics(|| store.execute(Item::fail_running, ()));
                assert!(payload.downcast_ref::<Runs>().is_some());
                drop(payload);
                assert_eq!(MADE.load(SeqCst), DROPPED.load(SeqCst));
            }
        });
    }
}

/// The caller drops a payload that panics: no code of Ikra is involved.
#[test]
fn that_panics_in_the_callers_hands() {
    hush();
    for threads in [1, 2, 8] {
        on_threads(threads, || {
            let mut store = store(MANY);
            let payload = panics(|| store.execute(Item::fail_panicking, 12_345));
            assert!(payload.downcast_ref::<Panics>().is_some());
            assert!(catch_unwind(AssertUnwindSafe(move || drop(payload))).is_err());
            let before: Vec<u32> = store.items.column(item::x).to_vec();
            store.execute(Item::count, ());
            assert!(store.items.column(item::x).iter().zip(before).all(|(x, before)| *x == before + 1));
        });
    }
}

/// Several payloads; only one is passed on. The program may abort, or continue with a panic. It never continues as if
/// all calls had run.
#[test]
fn that_panic_in_others_hands() {
    const VARIABLE: &str = "IKRA_HOSTILE_PAYLOADS";
    if std::env::var_os(VARIABLE).is_some() {
        hush();
        on_threads(4, || {
            let mut store = store(MANY);
            match catch_unwind(AssertUnwindSafe(|| store.execute(Item::fail_panicking, 0))) {
                Ok(()) => std::process::exit(42),
                Err(payload) => std::mem::forget(payload),
            }
            store.execute(Item::count, ());
        });
        return;
    }
    let name = "payloads::that_panic_in_others_hands";
    let mut child = Command::new(std::env::current_exe().expect("it is known"));
    let output = child.args([name, "--exact"]).env(VARIABLE, "1").output().expect("the test runs");
    assert_ne!(output.status.code(), Some(42), "the kernel was taken for one that has run");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains("Sanitizer"), "{text}");
}
