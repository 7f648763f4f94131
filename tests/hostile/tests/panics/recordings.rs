//! Recordings on the host: made, dropped and replayed during a panic, and in worlds that have changed.

use ikra::prelude::*;
use ikra::{Error, Place, Recording};
use ikra_hostile_tests::{MANY, THREADS, Way, on_threads, outcome, while_unwinding};

use super::model::{Car, Sim, car, sim};

fn xs(world: &Sim) -> u32 {
    let xs = world.cars.column(car::x);
    assert!(xs.iter().zip(0..).all(|(x, n)| x - n == xs[0]), "all objects are as far");
    xs[0]
}

fn record(world: &mut Sim) -> Recording {
    world.on(Place::Host).record(|sim| sim.execute(Car::change, ())).unwrap()
}

/// The closure panics, or returns an error: the recorded kernels do not run later.
#[test]
fn closures_that_panic() {
    for threads in THREADS {
        on_threads(threads, || {
            let mut world = sim(MANY, 5);
            let ended = outcome(|| {
                world.on(Place::Host).record(|sim| {
                    sim.execute(Car::change, ())?;
                    panic!("on purpose")
                })
            });
            assert!(ended.message().is_some());
            assert_eq!(xs(&world), 0);
            world.execute(Car::change, ());
            assert_eq!(xs(&world), 1);
            let stranger = Link::<Car>::from_id(u32::MAX).unwrap();
            let refused = world.on(Place::Host).record(|sim| {
                sim.execute(Car::change, ())?;
                sim.over(&[stranger]).execute(Car::change, ())
            });
            if let Ok(recording) = refused {
                assert!(matches!(world.on(Place::Host).replay(&recording), Err(Error::NotInWorld { .. })));
            }
            let before = xs(&world);
            world.execute(Car::change, ());
            assert_eq!(xs(&world), before + 1);
        });
    }
}

/// Replays in a destructor a recording that was made in one.
#[test]
fn replays_while_a_thread_unwinds() {
    for threads in THREADS {
        for way in [Way::Install, Way::Scope, Way::Join] {
            let (mut world, recording) = while_unwinding(way, threads, || {
                let mut world = sim(MANY, 5);
                let recording = record(&mut world);
                world.on(Place::Host).replay(&recording).unwrap();
                world.on(Place::Host).replay(&recording).unwrap();
                (world, recording)
            });
            assert_eq!(xs(&world), 2, "{way:?}, {threads} threads");
            world.on(Place::Host).replay(&recording).unwrap();
            assert_eq!(xs(&world), 3);
        }
    }
}

/// Replays in another world, in a world with swapped objects, and in a moved world: the recording runs for the current
/// objects, or is rejected.
#[test]
fn replays_elsewhere() {
    for threads in THREADS {
        on_threads(threads, || {
            let (mut a, mut b) = (sim(MANY, 5), sim(100, 5));
            let recording = record(&mut a);
            let replay = |world: &mut Sim| {
                let before = xs(world);
                let ran = world.on(Place::Host).replay(&recording).is_ok();
                assert_eq!(xs(world), before + u32::from(ran), "all or none have run");
            };
            replay(&mut a);
            replay(&mut b);
            std::mem::swap(&mut a.cars, &mut b.cars);
            replay(&mut a);
            replay(&mut b);
            std::mem::swap(World::state_mut(&mut a), World::state_mut(&mut b));
            replay(&mut a);
            let mut moved = Box::new(a);
            replay(&mut moved);
            moved.cars = Objects::new();
            assert!(moved.on(Place::Host).replay(&recording).is_ok() || moved.cars.is_empty());
            let mut copy = b.clone();
            replay(&mut copy);
            drop(b);
            replay(&mut copy);
        });
    }
}
