//! Unchecked links must never count as checked, whatever panics during the check or the store.

use ikra::prelude::*;
use ikra::{Error, Place};
use ikra_hostile_tests::{MANY, THREADS, Way, on_threads, outcome, while_unwinding};

#[soa_class]
#[derive(Clone, Debug)]
pub struct Cell {
    pub x: u32,
}
#[soa_class]
#[derive(Clone, Debug)]
pub struct Car {
    pub seen: u32,
    pub at: Link<Cell>,
    #[inline_array]
    pub near: [Link<Cell>; 2],
    #[inline_array(1)]
    pub path: InnerArray<Link<Cell>>,
}

#[soa_methods]
impl Car {
    /// Follows no link, so a bad one does no harm.
    #[kernel]
    pub fn tick(&mut self) {
        self.seen += 1;
    }
    /// Stores numbers as links, and panics before they are checked.
    #[kernel]
    pub fn store_and_panic(&mut self, link: Link<Cell>, id: u32) {
        self.near[1] = link;
        self.path[0] = link;
        assert!(self.link().id() < id, "on purpose");
        self.near[1] = self.at.link();
        self.path[0] = self.at.link();
    }
    /// Stores numbers and catches the panic: the links stay.
    #[kernel]
    pub fn store_and_catch(&mut self, link: Link<Cell>, id: u32) {
        let own = self.link().id();
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            self.near[1] = link;
            assert!(own < id, "on purpose");
            self.near[1] = self.at.link();
        }));
        self.seen += u32::from(ended.is_err());
    }
}

#[soa_world]
pub struct Road {
    pub cells: Objects<Cell>,
    pub cars: Objects<Car>,
}

fn road(cells: usize) -> Road {
    let mut road = Road::new();
    road.cells.extend((0..cells).map(|n| Cell { x: n as u32 })).unwrap();
    let link = |n: usize| Link::from_index(n).unwrap();
    road.cars
        .extend((0..MANY).map(|n| Car { seen: 0, at: link(n % 10), near: [link(0); 2], path: [link(1); 2].into() }))
        .unwrap();
    road
}

fn bad() -> Link<Cell> {
    Link::from_id(3_000_000_000).unwrap()
}

fn assert_refused(road: &mut Road, object: u32, when: &str) {
    for _ in 0..2 {
        let result = road.on(Place::Host).execute(Car::tick, ());
        assert!(
            matches!(&result, Err(Error::BadLink { object: found, id: 3_000_000_000, .. }) if *found == object),
            "{when}: {result:?}"
        );
    }
    assert!(road.cars.iter().all(|car| car.seen <= 1), "{when}: nothing has run");
}

/// A destructor checks links while its thread unwinds.
#[test]
fn looked_at_in_a_destructor() {
    for way in [Way::Install, Way::Scope, Way::ParIter, Way::Twice] {
        for threads in THREADS {
            let mut road = road(10);
            let last = road.cars.links().next_back().unwrap();
            road.cars.column_mut(car::at)[last.index()] = bad();
            // By the short form, which panics, and by the fallible form.
            while_unwinding(way, threads, || {
                assert!(outcome(|| road.execute(Car::tick, ())).message().is_some(), "{way:?}, {threads} threads");
                road
            });
        }
    }
}

/// By the form that returns the error, with the bad link at several positions.
#[test]
fn looked_at_in_a_destructor_with_an_error() {
    for threads in THREADS {
        for at in [0, 7_777, MANY - 1] {
            let mut road = while_unwinding(Way::Install, threads, || {
                let mut road = road(10);
                road.cars.column_mut(car::at)[at] = bad();
                assert_refused(&mut road, at as u32 + 1, &format!("{threads} threads"));
                road
            });
            assert_refused(&mut road, at as u32 + 1, &format!("{threads} threads, later"));
        }
    }
}

/// Kernels that store numbers and panic: everything they stored is checked before the next kernel.
#[test]
fn stored_before_a_panic() {
    for threads in THREADS {
        let mut road = road(10);
        let ended = outcome(|| on_threads(threads, || road.execute(Car::store_and_panic, (bad(), 12_345))));
        assert!(ended.message().is_some());
        let result = on_threads(threads, || road.on(Place::Host).execute(Car::tick, ()));
        assert!(matches!(&result, Err(Error::BadLink { field: "near", object: 12_345.., .. })), "{result:?}");
        // After the repair it runs.
        let good = Link::from_index(0).unwrap();
        road.cars.slot_mut(car::near, 1).fill(good);
        let links: Vec<_> = road.cars.links().collect();
        for link in links {
            road.cars.set_array(car::path, link, &[good; 2]).unwrap();
        }
        on_threads(threads, || road.execute(Car::tick, ()));
        assert!(road.cars.iter().all(|car| car.seen == 1));
    }
}

/// A kernel that catches its own panic has returned: its stored links are checked as usual, and rejected.
#[test]
fn stored_before_a_panic_that_is_caught() {
    for threads in THREADS {
        let mut road = road(10);
        let ended = outcome(|| on_threads(threads, || road.execute(Car::store_and_catch, (bad(), 12_345))));
        assert!(ended.message().is_some(), "{threads} threads: a bad link was stored");
        let result = on_threads(threads, || road.on(Place::Host).execute(Car::tick, ()));
        let left = road.cars.iter().any(|car| car.near[1] == bad());
        assert_eq!(matches!(result, Err(Error::BadLink { .. })), left, "{threads} threads: {result:?}");
    }
}

/// A smaller world receives the objects of another one while a thread unwinds.
#[test]
fn objects_of_another_world() {
    for threads in THREADS {
        let (mut small, mut large) = (road(10), road(500));
        for car in large.cars.column_mut(car::at) {
            *car = Link::from_id(400).unwrap();
        }
        large.execute(Car::tick, ());
        std::mem::swap(&mut small.cars, &mut large.cars);
        let result = while_unwinding(Way::Install, threads, || {
            let results = [small.on(Place::Host).execute(Car::tick, ()), small.on(Place::Host).execute(Car::tick, ())];
            results.map(|result| matches!(result, Err(Error::BadLink { object: 1, id: 400, .. })))
        });
        assert_eq!(result, [true, true], "{threads} threads");
        let result = small.on(Place::Host).execute(Car::tick, ());
        assert!(matches!(result, Err(Error::BadLink { .. })), "{threads} threads: {result:?}");
        drop(large);
    }
}
