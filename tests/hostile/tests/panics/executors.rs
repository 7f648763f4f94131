//! All operations of executors, and their outcomes.

use ikra::prelude::*;
use ikra::{Error, LinkList, Place};
use ikra_hostile_tests::hash;

use super::model::{Bike, Car, Sim, Vehicle, VehicleLink, bike, car, sim};

/// Enough objects to occupy several threads.
pub const CARS: usize = 9_000;

/// The outcome of an executor, with its name.
pub type Named = (&'static str, u64);

fn cars(sim: &Sim) -> u64 {
    hash(&sim.cars)
}

/// Runs each executor in a separate world, and returns the outcomes.
pub fn everything() -> Vec<Named> {
    let mut all = Vec::new();
    let mut add = |name, number: u64| all.push((name, number));
    let mut world = sim(CARS, 130);
    let every_third: Vec<Link<Car>> = world.cars.links().rev().step_by(3).collect();

    world.execute(Car::change, ());
    add("execute", cars(&world));
    world.execute(Car::hit_next, ());
    add("execute, atomics of others", cars(&world));
    world.execute(Car::shift, ());
    add("execute, snapshot", cars(&world));
    world.over(100..CARS - 100).execute(Car::change, ());
    world.over(100..CARS - 100).execute(Car::shift, ());
    add("execute over a range", cars(&world));
    world.over(&every_third).execute(Car::change, ());
    world.over(&LinkList::new(&every_third).unwrap()).execute(Car::shift, ());
    add("execute over a list", cars(&world));
    add("execute_and_reduce", world.execute_and_reduce(Car::count, (), Sum));
    add("execute_and_reduce, cars", cars(&world));
    add("execute_and_reduce over a range", world.over(5..CARS - 5).execute_and_reduce(Car::count, (), Max));
    add("execute_and_reduce over a list", world.over(&every_third).execute_and_reduce(Car::count, (), Sum));
    add("execute_and_reduce over a list, cars", cars(&world));
    let labels = world.execute_and_collect(Car::label, ());
    add("execute_and_collect, length", labels.len() as u64);
    add("execute_and_collect", hash(labels));
    world.on(Place::Host).execute(Car::change, ()).unwrap();
    add("on(host)", cars(&world));

    let vehicles: Vec<VehicleLink> = world
        .cars
        .links()
        .step_by(2)
        .map(VehicleLink::from)
        .chain(world.bikes.links().map(VehicleLink::from))
        .collect();
    world.execute(Vehicle::ring, 2);
    world.over(&vehicles).execute(Vehicle::ring, 3);
    add("trait", cars(&world) ^ hash(&world.bikes));
    add("trait, reduced", world.execute_and_reduce(Vehicle::rung, (), Sum));
    add("trait, list reduced", world.over(&vehicles).execute_and_reduce(Vehicle::rung, (), Sum));

    let home = world.cars.links().next().unwrap();
    let made = world.construct(CARS, Bike::make, home).unwrap();
    add("construct, length", made.count() as u64);
    add("construct", hash(&world.bikes));
    let made = world.construct(1_000, Car::make, home).unwrap();
    add("construct with an arena", made.count() as u64 ^ cars(&world));

    // Every use finds a bad link in the last object, each time.
    let (last, second) = (world.bikes.links().next_back().unwrap(), world.bikes.links().nth(1).unwrap());
    world.set(last, bike::home, Link::from_id(4_000_000_000).unwrap());
    for name in ["check_links", "check_links again"] {
        let result = world.on(Place::Host).execute(Bike::touch, ());
        let found = matches!(&result, Err(Error::BadLink { field: "home", object, .. }) if *object == last.id());
        add(name, u64::from(found));
    }
    world.set(second, bike::home, Link::from_id(4_000_000_000).unwrap());
    let result = world.on(Place::Host).execute(Bike::touch, ());
    add("check_links, the first", u64::from(matches!(result, Err(Error::BadLink { object: 2, .. }))));
    world.set(last, bike::home, home);
    world.set(second, bike::home, home);
    world.on(Place::Host).execute(Bike::touch, ()).unwrap();
    add("mended links", hash(&world.bikes));

    let mut small = sim(300, 200);
    small.execute_pairs(Car::meet, ());
    add("execute_pairs", cars(&small));
    small.execute_pairs(Car::meet_own, ());
    add("execute_pairs, snapshot", cars(&small));

    let recording = world.on(Place::Host).record(|sim| {
        sim.execute(Car::change, ())?;
        sim.execute(Car::shift, ())
    });
    let recording = recording.unwrap();
    for _ in 0..2 {
        world.on(Place::Host).replay(&recording).unwrap();
    }
    add("replay", cars(&world));
    add("columns", hash(world.cars.column(car::x)));
    all
}

/// The outcomes in a program without disturbances.
pub fn expected() -> &'static [Named] {
    static EXPECTED: std::sync::OnceLock<Vec<Named>> = std::sync::OnceLock::new();
    EXPECTED.get_or_init(|| {
        // On a separate thread, because the caller may be unwinding.
        std::thread::spawn(|| ikra_hostile_tests::on_threads(1, everything)).join().expect("nothing panics")
    })
}

/// Compares the outcomes with the expected ones.
pub fn assert_as_expected(found: &[Named], when: &str) {
    let expected = expected();
    assert_eq!(found.len(), expected.len());
    let wrong: Vec<_> = found.iter().zip(expected).filter(|(a, b)| a != b).map(|(a, _)| a.0).collect();
    assert!(wrong.is_empty(), "{when}: wrong results of {wrong:?}");
}

/// No attack: the other programs compare their outcomes with this one.
#[test]
fn everything_is_the_same_with_any_number_of_threads() {
    for threads in [1, 2, 3, 8] {
        let found = ikra_hostile_tests::on_threads(threads, everything);
        assert_as_expected(&found, &format!("{threads} threads"));
    }
    for name in ["check_links", "check_links again", "check_links, the first"] {
        assert!(expected().contains(&(name, 1)), "{name}");
    }
    assert!(expected().contains(&("execute_and_collect, length", CARS as u64)));
}
