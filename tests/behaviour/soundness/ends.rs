//! Executors that end early: either each call of a kernel runs, or a panic arrives and nothing is committed. Some
//! panics are not failures of the kernel, and then no call is skipped. The kernel catches them, they belong to another
//! world, or the thread was already unwinding.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

use ikra::{Error, Place, dispatch::AnyLink, prelude::*};
use rayon::prelude::*;

const COUNT: u32 = 100_000;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub at: u32,
    pub runs: u32,
    pub before: u32,
    pub to: Link<Total>,
    #[inline_array]
    pub slots: [u32; 2],
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    #[atomic]
    pub runs: u32,
}

#[soa_methods]
impl Item {
    #[kernel]
    pub fn count(&mut self) -> u32 {
        // An index is out of range, and the kernel catches the panic.
        let _ = catch_unwind(AssertUnwindSafe(|| self.slots.get(self.at as usize)));
        self.runs += 1;
        self.to.runs().add(1);
        self.runs
    }
    #[kernel(snapshot(before))]
    pub fn run(&mut self) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.slots.get(self.at as usize)));
        self.runs += 1;
        self.before += 1;
        self.to.runs().add(1);
    }
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Total>) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.slots.get(self.at as usize)));
        self.runs += u32::from(other.link().id() == 1);
    }
    #[kernel(reduce(Sum))]
    pub fn sum(&self) -> u32 {
        u32::from(catch_unwind(AssertUnwindSafe(|| self.slots.get(self.at as usize))).is_ok())
    }
    #[kernel]
    pub fn spawn(id: u32, to: Link<Total>) -> Self {
        let _ = catch_unwind(|| assert!(id != 3, "no object 3"));
        item(id, to)
    }
    /// Fails at some objects, each with a different panic.
    #[kernel]
    pub fn fail(&mut self, bad: [u32; 3]) -> u32 {
        let id = self.link().id();
        if bad.contains(&id) {
            resume_unwind(Box::new(Bad(id)));
        }
        self.runs += 1;
        id
    }
    #[kernel(reduce(Sum))]
    pub fn fail_to_sum(&self, bad: [u32; 3]) -> u32 {
        let id = self.link().id();
        if bad.contains(&id) {
            resume_unwind(Box::new(Bad(id)));
        }
        1
    }
    #[kernel]
    pub fn fail_and_return(&self, bad: [u32; 3]) -> Vec<u32> {
        let id = self.link().id();
        if bad.contains(&id) {
            resume_unwind(Box::new(Bad(id)));
        }
        vec![id]
    }
    #[kernel]
    pub fn run_and_fail(&mut self, bad: [u32; 3]) {
        let id = self.link().id();
        if bad.contains(&id) {
            resume_unwind(Box::new(Bad(id)));
        }
        self.runs += 1;
    }
    #[kernel(pairs)]
    pub fn meet_and_fail(&mut self, other: Ref<Total>, bad: [u32; 3]) {
        let id = self.link().id();
        if bad.contains(&id) {
            resume_unwind(Box::new(Bad(id)));
        }
        self.runs += other.link().id();
    }
    #[kernel]
    pub fn fail_to_spawn(id: u32, to: Link<Total>, bad: [u32; 3]) -> Self {
        if bad.contains(&(id + 1)) {
            resume_unwind(Box::new(Bad(id + 1)));
        }
        item(id, to)
    }
    /// Runs another world, whose kernel fails. A thread that waits for that kernel may do other calls of this one meanwhile,
    /// so none of them waits for the other world.
    #[kernel]
    pub fn nest(&mut self, other: &Mutex<Store>) {
        if self.link().id().is_multiple_of(20_000)
            && let Ok(mut other) = other.try_lock()
        {
            let failed = catch_unwind(AssertUnwindSafe(|| other.execute(Item::run_and_fail, [7; 3])));
            assert_eq!(bad_of(failed.unwrap_err()), 7);
        }
        self.runs += 1;
    }
    #[kernel]
    pub fn look(&mut self) {
        self.before = self.to.link().id();
    }
}

/// A panic payload whose destructor panics too.
struct Bad(u32);

impl Drop for Bad {
    fn drop(&mut self) {
        if self.0 != 0 {
            resume_unwind(Box::new("a destructor"));
        }
    }
}

fn bad_of(payload: Box<dyn Any + Send>) -> u32 {
    let mut bad = payload.downcast::<Bad>().unwrap_or_else(|_| panic!("the call's own"));
    std::mem::take(&mut bad.0)
}

#[soa_world]
pub struct Store {
    pub items: Objects<Item>,
    pub totals: Objects<Total>,
}

fn item(n: u32, to: Link<Total>) -> Item {
    Item { at: if n == 5 { 2 } else { n % 2 }, runs: 0, before: 0, to, slots: [1, 2] }
}

fn store() -> Store {
    let mut store = Store::new();
    let to = store.totals.push(Total { runs: 0 }).unwrap();
    store.items.extend((0..COUNT).map(|n| item(n, to))).unwrap();
    store
}

fn total(store: &Store) -> u32 {
    store.totals.iter().map(|total| total.runs).sum()
}

fn in_pools<T: PartialEq + std::fmt::Debug + Send>(work: impl Fn() -> T + Send + Sync) {
    let results = [1, 2, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        quietly(|| pool.install(&work))
    });
    assert!(results[0] == results[1] && results[0] == results[2], "{results:?}");
}

/// Runs a test without printing its panics.
fn quietly<T>(work: impl FnOnce() -> T) -> T {
    static QUIET: std::sync::Once = std::sync::Once::new();
    QUIET.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = info.to_string();
            if !text.contains("out of range") && !text.contains("no object 3") {
                hook(info);
            }
        }));
    });
    work()
}

/// All executors, with a kernel that catches its own panics: no call is skipped.
fn all_executors() {
    let mut store = store();
    store.execute(Item::run, ());
    assert_eq!(total(&store), COUNT);
    let links: Vec<_> = store.items.links().collect();
    let odd: Vec<_> = links.iter().copied().filter(|link| link.id() % 3 != 0).collect();
    store.over(&odd).execute(Item::run, ());
    store.over(1..).execute(Item::run, ());
    assert_eq!(total(&store) as usize, 2 * links.len() - 1 + odd.len());
    let counts = store.execute_and_collect(Item::count, ());
    assert_eq!(counts.len(), links.len());
    assert_eq!(store.execute_and_reduce(Item::sum, (), Sum), COUNT - 1);
    assert_eq!(store.over(&odd).execute_and_reduce(Item::sum, (), Sum) as usize, odd.len());
    store.execute_pairs(Item::meet, ());
    for (n, item) in store.items.iter().enumerate() {
        let runs = 1 + u32::from(n > 0) + u32::from((n + 1) % 3 != 0);
        assert_eq!((item.runs, item.before), (runs + 2, runs), "of object {n}");
    }
    let to = store.totals.links().next().unwrap();
    let made = store.construct(COUNT as usize, Item::spawn, to).unwrap();
    assert!(made.zip(0..).all(|(link, n)| store.items.read(link).unwrap() == item(COUNT + n, to)));
}

#[test]
fn what_a_kernel_catches_leaves_nothing_out() {
    in_pools(all_executors);
}

/// Runs the executors when it is dropped.
struct Runs;

impl Drop for Runs {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "it is dropped by a panic");
        all_executors();
    }
}

fn unwind() {
    let _runs = Runs;
    resume_unwind(Box::new(17_u32));
}

fn seventeen(work: impl FnOnce()) {
    let payload = catch_unwind(AssertUnwindSafe(work)).expect_err("a panic");
    assert_eq!(payload.downcast_ref::<u32>(), Some(&17));
}

#[test]
fn destructors_leave_nothing_out() {
    in_pools(|| seventeen(unwind));
    in_pools(|| seventeen(|| rayon::scope(|scope| scope.spawn(|_| unwind()))));
    in_pools(|| {
        seventeen(|| {
            (0..100).into_par_iter().for_each(|n| {
                if n == 50 {
                    unwind();
                }
            });
        });
    });
}

#[test]
fn kernels_of_other_worlds_may_fail() {
    in_pools(|| {
        let other = Mutex::new(store());
        let mut store = store();
        store.execute(Item::nest, &other);
        assert!(store.items.iter().all(|item| item.runs == 1));
    });
}

/// The caller gets the panic of the first failing object, even if a thread finds another one earlier.
#[test]
fn the_first_panic_arrives() {
    for bad in [[10, 50_000, 99_000], [49_000, 50_001, 99_999], [3, 3, 4], [90_000, 95_000, 100_000]] {
        for _ in 0..2 {
            in_pools(|| {
                let failing = |work: &mut dyn FnMut(&mut Store)| {
                    let mut store = store();
                    let found = bad_of(catch_unwind(AssertUnwindSafe(|| work(&mut store))).expect_err("a panic"));
                    assert_eq!(found, bad[0]);
                    assert_eq!(store.items.len(), COUNT as usize);
                };
                failing(&mut |store| store.execute(Item::run_and_fail, bad));
                failing(&mut |store| store.over(1..).execute(Item::run_and_fail, bad));
                failing(&mut |store| {
                    let links: Vec<_> = store.items.links().filter(|link| link.id() != 2).rev().collect();
                    store.over(&links).execute(Item::run_and_fail, bad);
                });
                failing(&mut |store| drop(store.execute_and_collect(Item::fail_and_return, bad)));
                failing(&mut |store| drop(store.execute_and_collect(Item::fail, bad)));
                failing(&mut |store| assert_eq!(store.execute_and_reduce(Item::fail_to_sum, bad, Sum), 0));
                failing(&mut |store| store.execute_pairs(Item::meet_and_fail, bad));
                failing(&mut |store| {
                    let to = store.totals.links().next().unwrap();
                    store.items = Objects::new();
                    let made = catch_unwind(AssertUnwindSafe(|| {
                        store.construct(COUNT as usize, Item::fail_to_spawn, (to, bad)).map(drop)
                    }));
                    assert!(store.items.is_empty());
                    store.items.extend((0..COUNT).map(|n| item(n, to))).unwrap();
                    resume_unwind(made.expect_err("a panic"));
                });
            });
        }
    }
}

/// A thread that unwinds finds a bad link when it uses the link, and the link stays bad.
#[test]
fn links_are_checked_by_destructors_too() {
    struct Looks(Store);
    impl Drop for Looks {
        fn drop(&mut self) {
            let found = self.0.on(Place::Host).execute(Item::look, ());
            assert!(matches!(found, Err(Error::BadLink { id: 9, .. })), "{found:?}");
            assert!(catch_unwind(AssertUnwindSafe(|| self.0.execute(Item::look, ()))).is_err());
            let found = self.0.on(Place::Host).execute(Item::look, ());
            assert!(matches!(found, Err(Error::BadLink { id: 9, .. })), "{found:?}");
        }
    }
    in_pools(|| {
        seventeen(|| {
            let mut store = store();
            store.items.column_mut(item::to)[COUNT as usize - 1] = Link::from_id(9).unwrap();
            let _looks = Looks(store);
            resume_unwind(Box::new(17_u32));
        });
    });
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct First {
    pub value: u32,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Second {
    pub value: u32,
}

#[soa_dispatch(First, Second)]
pub trait Either {
    #[kernel(snapshot(value))]
    fn change(&mut self, bad: u32);
    #[kernel(snapshot(value), reduce(Least))]
    fn change_and_sum(&mut self, bad: u32) -> u32;
}

/// Panics if it receives a number.
#[derive(Clone, Copy)]
pub struct Least;

impl Reducer<u32> for Least {
    fn identity(&self) -> u32 {
        u32::MAX
    }
    fn combine(&self, a: u32, b: u32) -> u32 {
        if a.min(b) == 13 {
            resume_unwind(Box::new(Bad(13)));
        }
        a.min(b)
    }
}

macro_rules! either {
    ($class:ident, $last:expr) => {
        #[soa_methods]
        impl Either for $class {
            fn change(&mut self, bad: u32) {
                self.value += 1;
                if $last && self.value == bad {
                    resume_unwind(Box::new(Bad(bad)));
                }
            }
            fn change_and_sum(&mut self, bad: u32) -> u32 {
                self.value += 1;
                if $last && self.value == bad { 13 } else { 20 }
            }
        }
    };
}
either!(First, false);
either!(Second, true);

#[soa_world]
pub struct Both {
    pub first: Objects<First>,
    pub second: Objects<Second>,
}

/// A trait's kernel is a single kernel: if it fails for one class, the snapshots of all classes are discarded.
#[test]
fn kernels_of_traits_end_as_one() {
    in_pools(|| {
        let mut both = Both::new();
        both.first.extend((0..10_000).map(|value| First { value })).unwrap();
        both.second.extend((0..10_000).map(|value| Second { value })).unwrap();
        let firsts = both.first.links().map(AnyLink::<Either>::from);
        let links: Vec<AnyLink<Either>> = firsts.chain(both.second.links().map(AnyLink::<Either>::from)).collect();
        let failing = |work: &mut dyn FnMut(&mut Both) -> u32| {
            let mut both = both.clone();
            assert_eq!(bad_of(catch_unwind(AssertUnwindSafe(|| work(&mut both))).expect_err("a panic")), 13);
            assert!(both.first.iter().map(|row| row.value).eq(0..10_000));
            assert!(both.second.iter().map(|row| row.value).eq(0..10_000));
        };
        failing(&mut |both| {
            both.execute(Either::change, 13);
            0
        });
        failing(&mut |both| {
            both.on(Place::Host).execute(Either::change, 13).unwrap();
            0
        });
        failing(&mut |both| both.execute_and_reduce(Either::change_and_sum, 5000, Least));
        failing(&mut |both| {
            both.over(&links).execute(Either::change, 13);
            0
        });
        failing(&mut |both| both.over(&links).execute_and_reduce(Either::change_and_sum, 5000, Least));
        both.execute(Either::change, 0);
        assert!(both.first.iter().map(|row| row.value).eq(1..10_001));
        assert!(both.second.iter().map(|row| row.value).eq(1..10_001));
    });
}
