//! Lists and rows that are made while something panics, or by code that does.

use std::sync::Mutex;

use ikra::prelude::*;
use ikra::{AsLinkList, Error, LinkList, ListedLink};
use ikra_hostile_tests::{MANY, THREADS, Way, hash, on_threads, outcome, while_unwinding};
use ikra_runtime::list::{LastList, LinkWords, Make};

use super::model::{Bike, Car, Kind, Vehicle, VehicleLink, bike, car, sim};

/// Rows that panic half way, while the thread unwinds already or not: those before are there.
#[test]
fn rows_that_panic() {
    let rows = |home, bad: usize| {
        (0..1_000).map(move |n| {
            assert!(n != bad, "on purpose");
            Bike { id: n as u32, kind: Kind::Five, home, other: None, ways: [home; 2], rings: 1 }
        })
    };
    let work = || {
        let mut world = sim(3, 0);
        let home = world.cars.links().next().unwrap();
        for bad in [0, 999] {
            let before = world.bikes.len();
            assert!(outcome(|| world.bikes.extend(rows(home, bad)).unwrap().count()).message().is_some());
            assert_eq!(world.bikes.len(), before + bad);
        }
        assert_eq!(world.bikes.extend(rows(home, 5_000)).unwrap().count(), 1_000);
        world.execute(Bike::touch, ());
        assert!(world.bikes.iter().all(|row| row.home == home && row.kind == Kind::Five));
        hash(world.bikes.column(bike::id))
    };
    let expected = work();
    for threads in THREADS {
        assert_eq!(while_unwinding(Way::Install, threads, work), expected);
        assert_eq!(while_unwinding(Way::Scope, threads, work), expected);
    }
}

/// Rows that use another world, and put one in the place of their own, while they are added.
#[test]
fn rows_that_run_kernels() {
    for threads in THREADS {
        on_threads(threads, || {
            let (mut world, mut other) = (sim(3, 0), sim(MANY, 0));
            let home = world.cars.links().next().unwrap();
            let rows = (0..100).map(|n| {
                other.execute(Car::change, ());
                assert!(outcome(|| other.execute_range(Car::change, ..=MANY, ())).message().is_some());
                Bike { id: n, kind: Kind::Three, home, other: Some(home), ways: [home; 2], rings: 0 }
            });
            assert_eq!(world.bikes.extend(rows.take(10)).unwrap().count(), 10);
            assert!(other.cars.iter().zip(0..).all(|(row, n)| row.x == n + 10));
        });
    }
}

/// `AsLinkList` is a safe trait: an implementation that panics after it has made the list, and one that gives another list
/// than it was asked for.
#[test]
fn lists_by_hand() {
    struct Panics<'a>(&'a [Link<Car>]);
    impl AsLinkList<Link<Car>> for Panics<'_> {
        fn as_link_list(
            &self,
            last: &mut LastList,
            make: &mut Make<'_, Link<Car>>,
        ) -> Result<LinkList<Link<Car>>, Error> {
            self.0.as_link_list(last, make)?;
            panic!("on purpose");
        }
    }
    /// Puts the last list of one world into another, and gives that of fewer links.
    struct Exchanges<'a>(&'a [Link<Car>], Mutex<LastList>);
    impl AsLinkList<Link<Car>> for Exchanges<'_> {
        fn as_link_list(
            &self,
            last: &mut LastList,
            make: &mut Make<'_, Link<Car>>,
        ) -> Result<LinkList<Link<Car>>, Error> {
            std::mem::swap(&mut *self.1.lock().unwrap(), last);
            self.0.as_link_list(last, make)?;
            self.0[1..].as_link_list(last, make)
        }
    }
    for threads in THREADS {
        on_threads(threads, || {
            let mut world = sim(MANY, 10);
            let all: Vec<_> = world.cars.links().collect();
            assert!(outcome(|| world.execute_each(Car::change, &Panics(&all), ())).message().is_some());
            world.execute_each(Car::change, &all, ()).unwrap();
            let exchanges = Exchanges(&all, Mutex::default());
            let mut small = sim(10, 10);
            for _ in 0..3 {
                assert!(matches!(small.execute_each(Car::change, &exchanges, ()), Err(Error::NotInWorld { .. })));
                world.execute_each(Car::change, &exchanges, ()).unwrap();
            }
            let expected = (0..MANY as u32).map(|n| n + if n == 0 { 1 } else { 4 });
            assert!(world.cars.column(car::x).iter().copied().eq(expected), "{threads} threads");
            assert!(small.cars.column(car::x).iter().copied().eq(0..10));
        });
    }
}

/// `ListedLink` is a safe trait too: links of classes that there are not, and that are never the same twice.
#[test]
fn links_by_hand() {
    #[derive(Clone, Copy)]
    struct Odd(u32);
    impl PartialEq for Odd {
        fn eq(&self, _: &Self) -> bool {
            self.0 % 2 == 0
        }
    }
    impl Eq for Odd {}
    impl ListedLink for Odd {
        const CLASSES: &'static [ikra_core::info::ClassId] = <Link<Car> as ListedLink>::CLASSES;
        fn parts(self) -> (usize, u32) {
            match self.0 {
                0..100 => (0, u32::MAX - self.0),
                100..200 => (usize::from(self.0 == 150), self.0),
                _ => (0, 5),
            }
        }
        fn words(_: &[Self]) -> Option<LinkWords<'_>> {
            Some(LinkWords::Narrow(&[]))
        }
    }
    let list =
        |ids: std::ops::Range<u32>| outcome(|| LinkList::new(&ids.map(Odd).collect::<Vec<_>>()).map(|list| list.len()));
    assert!(matches!(list(0..100), ikra_hostile_tests::Outcome::Returned(Ok(100))));
    assert!(list(100..200).message().is_some());
    assert!(matches!(list(200..300), ikra_hostile_tests::Outcome::Returned(Err(Error::Duplicate { .. }))));
}

/// The list of the last slice, after one that was refused and after a panic.
#[test]
fn slices_after_panics() {
    for threads in THREADS {
        on_threads(threads, || {
            let mut world = sim(MANY, 0);
            let mut list: Vec<Link<Car>> = world.cars.links().step_by(2).collect();
            world.execute_each(Car::change, &list, ()).unwrap();
            let first = list[0];
            list[0] = list[1];
            assert!(matches!(world.execute_each(Car::change, &list, ()), Err(Error::Duplicate { .. })));
            list[0] = Link::from_id(u32::MAX).unwrap();
            assert!(matches!(world.execute_each(Car::change, &list, ()), Err(Error::NotInWorld { .. })));
            list[0] = first;
            world.execute_each(Car::change, &list, ()).unwrap();
            // Fewer objects than the list was made for.
            let cars = std::mem::take(&mut world.cars);
            assert!(matches!(world.execute_each(Car::change, &list, ()), Err(Error::NotInWorld { .. })));
            world.cars = cars;
            world.execute_each(Car::change, &list, ()).unwrap();
            let expected = (0..MANY as u32).map(|n| n + if n % 2 == 0 { 3 } else { 0 });
            assert!(world.cars.column(car::x).iter().copied().eq(expected), "{threads} threads");
            // Of several classes: nothing runs if one is missing.
            world.construct(10, Bike::make, first).unwrap();
            let mut mixed: Vec<VehicleLink> = world.bikes.links().map(VehicleLink::from).collect();
            mixed.push(Link::<Car>::from_id(MANY as u32 + 1).unwrap().into());
            mixed.extend(world.cars.links().map(VehicleLink::from));
            assert!(world.execute_each(Vehicle::ring, &mixed, 1).is_err());
            assert!(world.cars.iter().zip(0..).all(|(row, n)| row.hits == if n % 2 == 0 { 3 } else { 0 }));
            assert!(world.bikes.iter().zip(0..).all(|(row, n)| row.rings == n));
        });
    }
}
