//! Guards and worlds that are dropped while their thread unwinds.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, THREADS, Way, hash, hush, on_threads, outcome, while_unwinding};

use super::model::{Car, Sim, car, sim};

/// A guard stores its fields while its thread unwinds: plain ones, arrays and links.
#[test]
fn a_guard_that_is_dropped_by_a_panic() {
    let mut world = sim(10, 0);
    let links: Vec<_> = world.cars.links().collect();
    let ended = outcome(|| {
        let mut guard = world.get_mut(links[3]);
        guard.x = 77;
        guard.slots[1] = 78;
        guard.q[0] = 79;
        guard.next = guard.resolve(links[5]);
        panic!("on purpose");
    });
    assert!(ended.message().is_some());
    let row = world.cars.read(links[3]).unwrap();
    assert_eq!((row.x, row.slots[1], row.q[0], row.next), (77, 78, 79, links[5]));
    world.execute(Car::change, ());
}

/// A destructor changes objects through guards, on threads of a pool.
#[test]
fn guards_in_destructors() {
    for threads in THREADS {
        let changed = while_unwinding(Way::ParIter, threads, || {
            let mut world = sim(MANY, 0);
            let links: Vec<_> = world.cars.links().collect();
            for link in &links {
                let mut guard = world.get_mut(*link);
                guard.x += 1;
                guard.change();
            }
            world.execute(Car::change, ());
            hash(world.cars.column(car::x))
        });
        assert_eq!(changed, hash((0..MANY as u32).map(|n| n + 3).collect::<Vec<_>>()), "{threads} threads");
    }
}

/// The unwinding code owns the world: it is dropped during a kernel's failure, before any other use.
#[test]
fn worlds_that_are_dropped_by_a_panic() {
    #[soa_class]
    pub struct Fragile {
        pub x: u32,
        #[inline_array(0)]
        pub list: InnerArray<u64>,
    }
    #[soa_methods]
    impl Fragile {
        #[kernel(snapshot(x, list))]
        pub fn fail(&mut self, id: u32) {
            self.x += 1;
            self.list[0] += 1;
            assert!(self.link().id() != id, "on purpose");
        }
    }
    #[soa_world]
    pub struct Shop {
        pub all: Objects<Fragile>,
    }
    hush();
    for threads in THREADS {
        on_threads(threads, || {
            for id in [1, 9_999, MANY as u32] {
                let ended = catch_unwind(|| {
                    let mut shop = Shop::new();
                    let row = |n: usize| Fragile { x: n as u32, list: [n as u64; 2].into() };
                    shop.all.extend((0..MANY).map(row)).unwrap();
                    shop.execute(Fragile::fail, id);
                    shop.all.len()
                });
                assert!(ended.is_err());
            }
        });
    }
}

/// Worlds are swapped while a kernel's panic propagates.
#[test]
fn worlds_that_are_exchanged_by_a_destructor() {
    struct Exchange<'a>(&'a mut Sim, &'a mut Sim);
    impl Drop for Exchange<'_> {
        fn drop(&mut self) {
            std::mem::swap(&mut self.0.cars, &mut self.1.cars);
            std::mem::swap(World::state_mut(self.0), World::state_mut(self.1));
            self.0.execute(Car::change, ());
            std::mem::swap(&mut self.0.bikes, &mut self.1.bikes);
            self.1.execute(Car::change, ());
            *self.1 = std::mem::replace(self.0, sim(5, 5));
        }
    }
    hush();
    for threads in THREADS {
        on_threads(threads, || {
            let (mut a, mut b) = (sim(MANY, 10), sim(MANY + 5, 10));
            let ended = catch_unwind(AssertUnwindSafe(|| {
                let exchange = Exchange(&mut a, &mut b);
                exchange.0.over(..MANY + 99).execute(Car::change, ());
            }));
            assert!(ended.is_err());
            assert_eq!((a.cars.len(), b.cars.len()), (5, MANY + 5));
            assert!(b.cars.iter().zip(0..).all(|(row, n)| row.x == n + 1), "{threads} threads");
            a.execute(Car::change, ());
            b.execute(Car::change, ());
            assert!(b.cars.iter().zip(0..).all(|(row, n)| row.x == n + 2), "{threads} threads");
        });
    }
}
