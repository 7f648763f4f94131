//! Lists and rows that are built during a panic, or by code that panics.

use std::cell::RefCell;
use std::ops::Bound;
use std::sync::atomic::{AtomicUsize, Ordering};

use ikra::prelude::*;
use ikra::{Error, LinkList, ListedLink, Place, Subset, bounds::AnyKernel};
use ikra_hostile_tests::{MANY, THREADS, Way, hash, on_threads, outcome, while_unwinding};
use ikra_runtime::exec::stage::All;
use ikra_runtime::executor::{Filtered, Filters, Named};
use ikra_runtime::list::LinkWords;

use super::model::{Bike, Car, Kind, Vehicle, VehicleLink, bike, car, sim};

/// Rows that panic midway, during unwinding or not: the rows before the panic are added.
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

/// Rows that use another world, and replace their own, while they are added.
#[test]
fn rows_that_run_kernels() {
    for threads in THREADS {
        on_threads(threads, || {
            let (mut world, mut other) = (sim(3, 0), sim(MANY, 0));
            let home = world.cars.links().next().unwrap();
            let rows = (0..100).map(|n| {
                other.execute(Car::change, ());
                assert!(outcome(|| other.over(..=MANY).execute(Car::change, ())).message().is_some());
                Bike { id: n, kind: Kind::Three, home, other: Some(home), ways: [home; 2], rings: 0 }
            });
            assert_eq!(world.bikes.extend(rows.take(10)).unwrap().count(), 10);
            assert!(other.cars.iter().zip(0..).all(|(row, n)| row.x == n + 10));
        });
    }
}

/// `Subset` is a safe trait: one implementation panics, and one names different objects on each call.
#[test]
fn subsets_by_hand() {
    struct Panics;
    impl<W, K> Subset<W, K> for Panics {
        type Filter = ();
        fn filter(&self) {}
        fn among(&self, _: &W) -> Result<Named<'_, K::Link>, Error>
        where
            K: AnyKernel,
        {
            panic!("on purpose");
        }
    }
    struct Changes<'a>(&'a [Link<Car>], AtomicUsize);
    impl<W, K: AnyKernel<Link = Link<Car>>> Subset<W, K> for &Changes<'_> {
        type Filter = ();
        fn filter(&self) {}
        fn among(&self, _: &W) -> Result<Named<'_, Link<Car>>, Error> {
            Ok(match self.1.fetch_add(1, Ordering::Relaxed) % 3 {
                0 => Named::Links(self.0),
                1 => Named::Links(&self.0[1..]),
                _ => Named::Range((Bound::Excluded(0), Bound::Included(MANY))),
            })
        }
    }
    for threads in THREADS {
        on_threads(threads, || {
            let mut world = sim(MANY, 10);
            let all: Vec<_> = world.cars.links().collect();
            assert!(outcome(|| world.over(Panics).execute(Car::change, ())).message().is_some());
            world.over(&all).execute(Car::change, ());
            let changes = Changes(&all, AtomicUsize::new(0));
            let mut small = sim(10, 10);
            let mut small = small.on(Place::Host);
            for _ in 0..2 {
                assert!(matches!(small.over(&changes).execute(Car::change, ()), Err(Error::NotInWorld { .. })));
            }
            assert!(matches!(small.over(&changes).execute(Car::change, ()), Err(Error::OutOfRange { .. })));
            assert!(small.world().cars.column(car::x).iter().copied().eq(0..10));
            world.over(&changes).execute(Car::change, ());
            world.over(&changes).execute(Car::change, ());
            assert!(outcome(|| world.over(&changes).execute(Car::change, ())).message().is_some());
            let expected = (0..MANY as u32).map(|n| n + if n == 0 { 2 } else { 3 });
            assert!(world.cars.column(car::x).iter().copied().eq(expected), "{threads} threads");
        });
    }
}

/// So are the kernels that choose among the objects: one implementation never runs the work, one hides its error, and one
/// runs it with the kernels of another class.
#[test]
fn filters_by_hand() {
    #[derive(Clone, Copy)]
    struct Never;
    impl<W, K: AnyKernel> Subset<W, K> for Never {
        type Filter = All;
        fn filter(&self) -> All {
            All
        }
        fn among(&self, _: &W) -> Result<Named<'_, K::Link>, Error> {
            Ok(Named::All)
        }
        fn with_filters(&self, _: Filters<'_>, _: Filtered<'_>) -> Result<(), Error> {
            Ok(())
        }
    }
    #[derive(Clone, Copy)]
    struct Hides;
    impl<W, K: AnyKernel> Subset<W, K> for Hides {
        type Filter = All;
        fn filter(&self) -> All {
            All
        }
        fn among(&self, _: &W) -> Result<Named<'_, K::Link>, Error> {
            Ok(Named::All)
        }
        fn with_filters(&self, after: Filters<'_>, work: Filtered<'_>) -> Result<(), Error> {
            let _ = work(after);
            Ok(())
        }
    }
    /// Runs the work of another chain with the kernels of this one.
    #[derive(Clone, Copy)]
    struct Passes<'a, 'b>(&'a RefCell<Filtered<'b>>);
    impl<W, K: AnyKernel> Subset<W, K> for Passes<'_, '_> {
        type Filter = All;
        fn filter(&self) -> All {
            All
        }
        fn among(&self, _: &W) -> Result<Named<'_, K::Link>, Error> {
            Ok(Named::All)
        }
        fn with_filters(&self, after: Filters<'_>, _: Filtered<'_>) -> Result<(), Error> {
            (*self.0.borrow_mut())(after)
        }
    }
    #[derive(Clone, Copy)]
    struct Others;
    impl<W, K: AnyKernel> Subset<W, K> for Others {
        type Filter = All;
        fn filter(&self) -> All {
            All
        }
        fn among(&self, _: &W) -> Result<Named<'_, K::Link>, Error> {
            Ok(Named::All)
        }
        fn with_filters(&self, _: Filters<'_>, work: Filtered<'_>) -> Result<(), Error> {
            let mut other = sim(5, 5);
            let work = RefCell::new(work);
            let mut place = other.on(Place::Host);
            let passed = place.over(Passes(&work)).select(Bike::has_rung, ()).map(Bike::number, ()).reduce(Sum);
            passed.map(drop)
        }
    }
    let chain = |subset: u32| {
        let mut world = sim(100, 10);
        let mut at = world.on(Place::Host);
        match subset {
            0 => at.over(Never).select(Car::is_even, ()).map(Car::number, ()).reduce(Sum),
            1 => {
                let gone = Link::from_id(101).unwrap();
                at.over(Hides).select(Car::is_even, ()).map(Car::number_of, gone).reduce(Sum)
            }
            _ => at.over(Others).select(Car::is_even, ()).map(Car::number, ()).reduce(Sum),
        }
    };
    for subset in 0..3 {
        assert!(outcome(|| chain(subset)).message().is_some(), "subset {subset}");
    }
}

/// `ListedLink` is a safe trait too: links of nonexistent classes, which differ on each call.
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

/// The list of the last slice, after a rejected slice and after a panic.
#[test]
fn slices_after_panics() {
    for threads in THREADS {
        on_threads(threads, || {
            let mut world = sim(MANY, 0);
            let mut list: Vec<Link<Car>> = world.cars.links().step_by(2).collect();
            world.over(&list).execute(Car::change, ());
            let first = list[0];
            list[0] = list[1];
            assert!(matches!(world.on(Place::Host).over(&list).execute(Car::change, ()), Err(Error::Duplicate { .. })));
            list[0] = Link::from_id(u32::MAX).unwrap();
            assert!(matches!(
                world.on(Place::Host).over(&list).execute(Car::change, ()),
                Err(Error::NotInWorld { .. })
            ));
            list[0] = first;
            world.over(&list).execute(Car::change, ());
            // Fewer objects than when the list was made.
            let cars = std::mem::take(&mut world.cars);
            assert!(matches!(
                world.on(Place::Host).over(&list).execute(Car::change, ()),
                Err(Error::NotInWorld { .. })
            ));
            world.cars = cars;
            world.over(&list).execute(Car::change, ());
            let expected = (0..MANY as u32).map(|n| n + if n % 2 == 0 { 3 } else { 0 });
            assert!(world.cars.column(car::x).iter().copied().eq(expected), "{threads} threads");
            // Links of several classes: nothing runs if one object is missing.
            world.construct(10, Bike::make, first).unwrap();
            let mut mixed: Vec<VehicleLink> = world.bikes.links().map(VehicleLink::from).collect();
            mixed.push(Link::<Car>::from_id(MANY as u32 + 1).unwrap().into());
            mixed.extend(world.cars.links().map(VehicleLink::from));
            assert!(world.on(Place::Host).over(&mixed).execute(Vehicle::ring, 1).is_err());
            assert!(world.cars.iter().zip(0..).all(|(row, n)| row.hits == if n % 2 == 0 { 3 } else { 0 }));
            assert!(world.bikes.iter().zip(0..).all(|(row, n)| row.rings == n));
        });
    }
}
