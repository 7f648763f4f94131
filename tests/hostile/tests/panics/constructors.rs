//! `construct` skips no row: an object that was never constructed would consist of zero bytes, including links and
//! enums.

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, THREADS, WAYS, on_threads, outcome, while_unwinding};

use super::model::{Bike, BikeMut, BikeRef, Car, Kind, Sim, sim};

fn assert_whole(world: &Sim, when: &str) {
    // Read columns without links before following a link.
    let made = world.bikes.column(super::model::bike::id).iter().zip(0..).filter(|(id, n)| **id == *n).count();
    assert_eq!((made, world.bikes.len()), (MANY, MANY), "{when}");
    let homes = world.bikes.column(super::model::bike::home);
    assert!(homes.iter().all(|home| home.id() == 3), "{when}");
    let kinds = [Kind::Three, Kind::Four, Kind::Five];
    let right = world.bikes.iter().enumerate().filter(|(n, bike)| {
        bike.kind == kinds[n % 3]
            && bike.ways == [bike.home; 2]
            && bike.other == Some(bike.home)
            && bike.rings == *n as u32
    });
    assert_eq!(right.count(), MANY, "{when}");
}

#[test]
fn in_a_destructor() {
    for way in WAYS {
        for threads in THREADS {
            let world = while_unwinding(way, threads, || {
                let mut world = sim(10, 0);
                let home = world.cars.links().nth(2).unwrap();
                assert_eq!(world.construct(MANY, Bike::make, home).unwrap().count(), MANY);
                world
            });
            assert_whole(&world, &format!("{way:?}, {threads} threads"));
        }
    }
}

#[soa_methods]
impl Bike {
    #[kernel]
    pub fn make_or_panic(index: u32, home: Link<Car>, bad: u32) -> Self {
        assert!(index != bad, "on purpose");
        let kind = [Kind::Three, Kind::Four, Kind::Five][index as usize % 3];
        Self { id: index, kind, home, other: Some(home), ways: [home; 2], rings: index }
    }
}

/// Constructors that panic add no objects, or only complete ones; later objects are complete.
#[test]
fn that_panic() {
    for threads in THREADS {
        on_threads(threads, || {
            let mut world = sim(10, 0);
            let home = world.cars.links().nth(2).unwrap();
            for bad in [0, 4_000, MANY as u32 - 1] {
                let ended = outcome(|| world.construct(MANY, Bike::make_or_panic, (home, bad)).unwrap().count());
                assert!(ended.message().is_some_and(|message| message.contains("on purpose")));
                assert_eq!(world.bikes.len(), 0, "object {bad}, {threads} threads");
            }
            world.construct(MANY, Bike::make_or_panic, (home, u32::MAX)).unwrap();
            assert_whole(&world, &format!("{threads} threads"));
        });
    }
}
