//! Results with destructors, zero-sized and large: none is lost, and none is dropped twice.

use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, THREADS, Way, on_threads, outcome, while_unwinding};

static ALIVE: AtomicI64 = AtomicI64::new(0);

#[derive(Debug)]
pub struct Result {
    id: u32,
    text: String,
}

/// A zero-sized result.
#[derive(Debug)]
pub struct Nothing;

macro_rules! counted {
    ($($name:ident)*) => { $(
        impl Drop for $name {
            fn drop(&mut self) {
                ALIVE.fetch_sub(1, SeqCst);
            }
        }
    )* };
}
counted! { Result Nothing }

#[soa_class]
pub struct Item {
    pub x: u32,
}

#[soa_methods]
impl Item {
    #[kernel]
    pub fn result(&self, bad: u32) -> Result {
        let id = self.link().id();
        assert!(id != bad, "on purpose");
        ALIVE.fetch_add(1, SeqCst);
        Result { id, text: format!("{id}") }
    }
    #[kernel]
    pub fn nothing(&self, bad: u32) -> Nothing {
        assert!(self.link().id() != bad, "on purpose");
        ALIVE.fetch_add(1, SeqCst);
        Nothing
    }
    #[kernel]
    pub fn large(&mut self) -> [u64; 100] {
        self.x += 1;
        [u64::from(self.link().id()); 100]
    }
}

#[soa_world]
pub struct Store {
    pub items: Objects<Item>,
}

fn collect(bad: u32) {
    let mut store = Store::new();
    store.items.extend((0..MANY).map(|_| Item { x: 0 })).unwrap();
    let ended = outcome(|| {
        let results = store.execute_and_collect(Item::result, bad);
        let right = results.iter().zip(1..).filter(|(result, id)| result.id == *id && result.text == id.to_string());
        assert_eq!((right.count(), results.len()), (MANY, MANY));
    });
    assert_eq!(ended.message().is_some(), bad != 0, "{ended:?}");
    assert_eq!(ALIVE.load(SeqCst), 0);
    let ended = outcome(|| assert_eq!(store.execute_and_collect(Item::nothing, bad).len(), MANY));
    assert_eq!(ended.message().is_some(), bad != 0, "{ended:?}");
    assert_eq!(ALIVE.load(SeqCst), 0);
    let large = store.execute_and_collect(Item::large, ());
    assert!(large.iter().zip(1..).all(|(result, id)| *result == [id; 100]) && large.len() == MANY);
}

/// Sequential, because all tests use the counter.
#[test]
fn whole_and_half() {
    for threads in THREADS {
        for bad in [0, 1, 13_000, MANY as u32] {
            on_threads(threads, || collect(bad));
            while_unwinding(Way::ParIter, threads, || collect(bad));
        }
    }
}
