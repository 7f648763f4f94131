//! The state of a world after a panic, as documented.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub plain: u32,
    #[inline_array]
    pub slots: [u32; 2],
    #[inline_array(1)]
    pub more: InnerArray<u32>,
    #[atomic]
    pub hits: u32,
    pub next: u32,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Old {
    pub value: u32,
    #[inline_array(0)]
    pub list: InnerArray<u32>,
}

fn item(n: u32) -> Item {
    Item { plain: n, slots: [n; 2], more: [n; 3].into(), hits: n, next: n }
}

#[soa_methods]
impl Item {
    #[kernel]
    pub fn change(&mut self, bad: u32) {
        self.plain += 1;
        self.slots[0] += 1;
        self.more[2] += 1;
        self.hits.add(1);
        if self.link().id() == bad {
            panic!("object {bad}");
        }
        self.slots[1] += 1;
        self.more[0] += 1;
    }
    #[kernel]
    pub fn spawn(id: u32, bad: u32) -> Self {
        if id == bad {
            panic!("object {bad}");
        }
        item(id)
    }
}

#[soa_methods]
impl Old {
    #[kernel(snapshot(value, list))]
    pub fn change(&mut self, bad: u32) {
        self.value += 1;
        self.list[0] += 1;
        if self.link().id() == bad {
            panic!("object {bad}");
        }
    }
    #[kernel]
    pub fn spawn(id: u32, bad: u32) -> Self {
        if id == bad {
            panic!("object {bad}");
        }
        Self { value: id, list: [id].into() }
    }
}

#[soa_world]
pub struct Store {
    pub items: Objects<Item>,
    pub old: Objects<Old>,
}

fn panics(work: impl FnOnce()) {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(work));
    std::panic::set_hook(hook);
    result.expect_err("a panic");
}

fn in_pools(work: impl Fn(usize) + Send + Sync) {
    for threads in [1, 2, 8] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| work(threads));
    }
}

#[test]
fn objects_after_a_panic_in_a_kernel() {
    in_pools(|threads| {
        let mut store = Store::new();
        let (n, bad) = (20_000, 12_345);
        store.items.extend((0..n).map(item)).unwrap();
        panics(|| store.execute(Item::change, bad));
        let changed =
            |n: u32| Item { plain: n + 1, slots: [n + 1; 2], more: [n + 1, n, n + 1].into(), hits: n + 1, next: n };
        let mut done = 0;
        for (k, row) in store.items.iter().enumerate() {
            let k = k as u32;
            if k + 1 == bad {
                let half = Item { slots: [k + 1, k], more: [k, k, k + 1].into(), hits: k + 1, ..item(k) };
                assert_eq!(row, half);
            } else if row == changed(k) {
                done += 1;
            } else {
                assert_eq!(row, item(k));
            }
        }
        if threads == 1 {
            // The objects before it in the same chunk.
            assert_eq!(done, bad as usize - 1);
        }
        // The world remains usable.
        store.execute(Item::change, 0);
        let after = store.items.read(Link::from_id(bad).unwrap()).unwrap();
        assert_eq!((after.plain, after.slots, after.hits), (bad, [bad + 1, bad], bad + 1));
    });
}

#[test]
fn a_snapshot_after_a_panic_is_that_from_before() {
    in_pools(|_| {
        let mut store = Store::new();
        let row = |n: u32| Old { value: n, list: [n].into() };
        store.old.extend((0..9000).map(row)).unwrap();
        panics(|| store.execute(Old::change, 4567));
        assert!(store.old.iter().eq((0..9000).map(row)));
        store.execute(Old::change, 0);
        assert!(store.old.iter().eq((0..9000).map(|n| row(n + 1))));
    });
}

#[test]
fn constructors_and_iterators_that_panic() {
    in_pools(|_| {
        let mut store = Store::new();
        panics(|| drop(store.construct(9000, Item::spawn, 4567)));
        panics(|| drop(store.construct(9000, Old::spawn, 4567)));
        // Objects with an arena are constructed one by one.
        assert_eq!((store.items.len(), store.old.len()), (4567, 4567));
        let rows = (0..10).map(|n| if n == 7 { panic!("row {n}") } else { item(n) });
        panics(|| drop(store.items.extend(rows)));
        assert_eq!(store.items.len(), 4574);
        assert!(store.items.iter().eq((0..4567).chain(0..7).map(item)));
        // An iterator with a wrong size hint.
        struct Lies(u32);
        impl Iterator for Lies {
            type Item = Item;
            fn next(&mut self) -> Option<Item> {
                self.0 += 1;
                (self.0 < 5).then(|| item(self.0))
            }
            fn size_hint(&self) -> (usize, Option<usize>) {
                (1000, Some(2))
            }
        }
        assert_eq!(store.items.extend(Lies(0)).unwrap().count(), 4);
        assert_eq!(store.items.len(), 4578);
    });
}
