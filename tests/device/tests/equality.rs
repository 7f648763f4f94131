//! Every kernel gives the same results on host and device: all columns are equal byte by byte.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra::thread;
use ikra_device_tests::model::*;
use ikra_device_tests::{has_gpu, is_short};

/// A pseudo-random sequence.
struct Random(u64);
impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 29
    }
}

fn place(random: &mut Random) -> Place {
    Place {
        height: (random.next() % 1000) as f32 * 0.25,
        visits: 0,
        balance: random.next() as i64,
        lowest: 5,
        highest: 0,
        weight: 0.0,
        mass: 1e9,
        open: false,
    }
}

/// The bits of a number, with one representation for all NaNs: Rust does not specify which NaN an operation returns.
fn single(x: f32) -> u32 {
    if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
}
fn double(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

const GPU: ikra::Place = ikra::Place::Gpu(0);

/// On both sides of a tile's size, and of several blocks of threads.
fn sizes() -> &'static [usize] {
    if is_short() { &[0, 1, 63, 129, 600] } else { &[0, 1, 63, 64, 129, 1000, 2100, 9000] }
}

/// Runs the same operations on two worlds, on the host and on the device, and compares all columns after each step.
macro_rules! equality {
    ($test:ident, $class:ident, $world:ident) => {
        #[test]
        fn $test() {
            if !has_gpu() {
                return;
            }
            for (round, &count) in sizes().iter().enumerate() {
                let mut random = Random(round as u64 + 1);
                let (mut host, mut device) = ($world::new(), $world::new());
                for sim in [&mut host, &mut device] {
                    let mut random = Random(round as u64 + 100);
                    sim.places.extend((0..37).map(|_| place(&mut random))).unwrap();
                }
                let places: Vec<_> = host.places.links().collect();
                let seed = random.next() as u32;
                host.construct(count, $class::spawn, (seed, places[3])).unwrap();
                device.on(GPU).construct(count, $class::spawn, (seed, places[3])).unwrap();
                same("spawn", &host, &device);

                // Links to many objects, set on the host.
                for sim in [&mut host, &mut device] {
                    let links: Vec<_> = sim.things.links().collect();
                    for link in links {
                        let n = link.index() * 7 % places.len();
                        let mut thing = sim.get_mut(link);
                        thing.place = thing.resolve(places[n]);
                    }
                }
                same("links", &host, &device);
                let things: Vec<_> = host.things.links().collect();
                let some: Vec<_> = things.iter().copied().filter(|link| link.index() % 3 == 1).rev().collect();
                let middle = count / 3..count - count / 5;

                for round in 0..2 {
                    host.execute($class::change, (17, 0.7));
                    device.on(GPU).execute($class::change, (17, 0.7)).unwrap();
                    same("change", &host, &device);

                    host.over(middle.clone()).execute($class::change, (3, 0.1));
                    device.on(GPU).over(middle.clone()).execute($class::change, (3, 0.1)).unwrap();
                    same("change a range", &host, &device);

                    host.over(&some).execute($class::change, (99, 2.0));
                    device.on(GPU).over(&some).execute($class::change, (99, 2.0)).unwrap();
                    same("change each", &host, &device);

                    host.execute($class::look, ());
                    device.on(GPU).execute($class::look, ()).unwrap();
                    host.execute($class::look, ());
                    device.on(GPU).execute($class::look, ()).unwrap();
                    same("look", &host, &device);
                    host.over(middle.clone()).execute($class::look, ());
                    device.on(GPU).over(middle.clone()).execute($class::look, ()).unwrap();
                    same("look at a range", &host, &device);
                    host.over(&some).execute($class::look, ());
                    device.on(GPU).over(&some).execute($class::look, ()).unwrap();
                    same("look at each", &host, &device);

                    host.execute($class::follow, ());
                    device.on(GPU).execute($class::follow, ()).unwrap();
                    same("follow", &host, &device);

                    host.execute($class::visit, ());
                    device.on(GPU).execute($class::visit, ()).unwrap();
                    same("visit", &host, &device);

                    if count <= 1000 {
                        host.execute($class::survey, ());
                        device.on(GPU).execute($class::survey, ()).unwrap();
                        same("survey", &host, &device);
                        host.execute_pairs($class::meet, 0.3);
                        device.on(GPU).execute_pairs($class::meet, 0.3).unwrap();
                        same("meet", &host, &device);
                    }
                    host.execute_pairs($class::near, ());
                    device.on(GPU).execute_pairs($class::near, ()).unwrap();
                    host.over(middle.clone()).execute_pairs($class::near, ());
                    device.on(GPU).over(middle.clone()).execute_pairs($class::near, ()).unwrap();
                    host.over(&some).execute_pairs($class::near, ());
                    device.on(GPU).over(&some).execute_pairs($class::near, ()).unwrap();
                    same("near", &host, &device);

                    let maybe = things.get(count / 2).copied();
                    let pair = Pair { small: 9, large: -2.5 };
                    let arguments = (true, -3, 1 << 100, [1.0, f32::NAN, -0.0], pair, Kind::A, places[round], maybe);
                    host.execute($class::take, arguments);
                    device.on(GPU).execute($class::take, arguments).unwrap();
                    same("take", &host, &device);

                    host.execute(Place::raise, 0.5);
                    device.on(GPU).execute(Place::raise, 0.5).unwrap();

                    // Reductions, to the last bit.
                    assert_eq!(
                        double(host.execute_and_reduce($class::weight, (), Sum)),
                        double(device.on(GPU).execute_and_reduce($class::weight, (), Sum).unwrap())
                    );
                    assert_eq!(
                        double(host.execute_and_reduce($class::weight, (), Max)),
                        double(device.on(GPU).execute_and_reduce($class::weight, (), Max).unwrap())
                    );
                    assert_eq!(
                        double(host.execute_and_reduce($class::weight, (), Mix)),
                        double(device.on(GPU).execute_and_reduce($class::weight, (), Mix).unwrap())
                    );
                    assert_eq!(
                        host.execute_and_reduce($class::vector_of, 2.5, Sum).map(single),
                        device.on(GPU).execute_and_reduce($class::vector_of, 2.5, Sum).unwrap().map(single)
                    );
                    assert_eq!(
                        host.execute_and_reduce($class::vector_of, 2.5, Min).map(single),
                        device.on(GPU).execute_and_reduce($class::vector_of, 2.5, Min).unwrap().map(single)
                    );
                    assert_eq!(
                        host.execute_and_reduce($class::is_flagged, (), Any),
                        device.on(GPU).execute_and_reduce($class::is_flagged, (), Any).unwrap()
                    );
                    assert_eq!(
                        host.execute_and_reduce($class::is_flagged, (), All),
                        device.on(GPU).execute_and_reduce($class::is_flagged, (), All).unwrap()
                    );
                    assert_eq!(
                        host.execute_and_reduce($class::drain, (), Sum),
                        device.on(GPU).execute_and_reduce($class::drain, (), Sum).unwrap()
                    );
                    same("drain", &host, &device);

                    // Over parts, and with tuples.
                    let tuple = |(number, x, y): (u32, f64, f32)| (number, double(x), single(y));
                    assert_eq!(
                        tuple(host.execute_and_reduce($class::mixed, (), Sum)),
                        tuple(device.on(GPU).execute_and_reduce($class::mixed, (), Sum).unwrap())
                    );
                    assert_eq!(
                        tuple(host.over(middle.clone()).execute_and_reduce($class::mixed, (), Max)),
                        tuple(device.on(GPU).over(middle.clone()).execute_and_reduce($class::mixed, (), Max).unwrap())
                    );
                    assert_eq!(
                        tuple(host.over(&some).execute_and_reduce($class::mixed, (), Sum)),
                        tuple(device.on(GPU).over(&some).execute_and_reduce($class::mixed, (), Sum).unwrap())
                    );
                    let bits = |all: Vec<f64>| all.into_iter().map(double).collect::<Vec<_>>();
                    assert_eq!(
                        bits(host.over(&some).execute_and_collect($class::weight, ())),
                        bits(device.on(GPU).over(&some).execute_and_collect($class::weight, ()).unwrap())
                    );
                    assert_eq!(
                        double(host.over(middle.clone()).execute_and_reduce($class::weight, (), Mix)),
                        double(
                            device.on(GPU).over(middle.clone()).execute_and_reduce($class::weight, (), Mix).unwrap()
                        )
                    );
                    assert_eq!(
                        double(host.over(&some).execute_and_reduce($class::weight, (), Mix)),
                        double(device.on(GPU).over(&some).execute_and_reduce($class::weight, (), Mix).unwrap())
                    );
                    assert_eq!(
                        host.over(middle.clone()).execute_and_reduce($class::drain, (), Sum),
                        device.on(GPU).over(middle.clone()).execute_and_reduce($class::drain, (), Sum).unwrap()
                    );
                    same("drain a range", &host, &device);
                    assert_eq!(
                        host.over(&some).execute_and_reduce($class::drain, (), Sum),
                        device.on(GPU).over(&some).execute_and_reduce($class::drain, (), Sum).unwrap()
                    );
                    same("drain each", &host, &device);

                    // Objects are added in between.
                    if count > 0 && count < 1000 {
                        for sim in [&mut host, &mut device] {
                            let row = sim.things.read(things[0]).unwrap();
                            sim.things.push(row).unwrap();
                        }
                    }
                }
            }

            fn same(step: &str, host: &$world, device: &$world) {
                assert_eq!(host.things.len(), device.things.len());
                for (n, (a, b)) in host.things.iter().zip(&device.things).enumerate() {
                    assert_eq!(show(&a), show(&b), "{step}: {}#{}", stringify!($class), n + 1);
                }
                for (n, (a, b)) in host.places.iter().zip(&device.places).enumerate() {
                    assert_eq!(format!("{a:?}"), format!("{b:?}"), "{step}: Place#{}", n + 1);
                }
            }

            /// All fields, floating point by its bits.
            fn show(row: &$class) -> String {
                format!(
                    "{row:?} {:x} {:x} {:x?} {:x} {:x}",
                    single(row.single),
                    double(row.double),
                    row.vector.map(single),
                    double(row.pair.large),
                    double(row.flat.large)
                )
            }
        }
    };
}

equality!(growing_columns, Growing, GrowingWorld);
equality!(fixed_columns, Fixed, FixedWorld);
equality!(array_of_structures, Rows, RowsWorld);
equality!(tiles, Tiled, TiledWorld);
#[cfg(ikra_long)]
equality!(wide_tiles_of_fixed_capacity, WideTiles, WideTilesWorld);
#[cfg(ikra_long)]
equality!(storage_addressing, Stored, StoredWorld);
#[cfg(ikra_long)]
equality!(first_field_addressing, Addressed, AddressedWorld);

#[test]
fn reductions_of_many_objects() {
    if !has_gpu() {
        return;
    }
    // One chunk, two, as many as the warps of the usual block, one more, as many as those of the largest block, one more, as many
    // as accumulators, one more, and chunks of other lengths.
    let counts = [256, 257, 2048, 2049, 4096, 4097, 65_536, 65_537, 300_000, 3_000_000];
    for &count in if is_short() { &counts[..8] } else { &counts[..] } {
        let (mut host, mut device) = (GrowingWorld::new(), GrowingWorld::new());
        for sim in [&mut host, &mut device] {
            sim.places.push(place(&mut Random(3))).unwrap();
        }
        let place = host.places.links().next().unwrap();
        host.construct(count, Growing::spawn, (3, place)).unwrap();
        device.on(GPU).construct(count, Growing::spawn, (3, place)).unwrap();
        macro_rules! same {
            ($kernel:ident, $args:expr, $reducer:ident, $bits:expr) => {{
                let expected = $bits(host.execute_and_reduce(Growing::$kernel, $args, $reducer));
                // Repeatedly: each run restores the state that the next one needs.
                for _ in 0..3 {
                    let result = device.on(GPU).execute_and_reduce(Growing::$kernel, $args, $reducer).unwrap();
                    assert_eq!($bits(result), expected, "{} of {count}", stringify!($kernel, $reducer));
                }
            }};
        }
        let doubles = |result: [f64; 12]| result.map(double);
        same!(weight, (), Sum, double);
        same!(weight, (), Mix, double);
        same!(heavy_weight, (), Sum, double);
        same!(heavy_weight, (), Mix, double);
        same!(vector_of, 2.5, Sum, |result: [f32; 3]| result.map(single));
        same!(wide, (), Sum, doubles);
        same!(heavy_wide, (), Sum, doubles);
    }
}

#[test]
fn mathematics_and_random_numbers() {
    if !has_gpu() {
        return;
    }
    for scale in [1.0, 100.0, 1e6] {
        let (mut host, mut device) = (Samples::new(), Samples::new());
        let n = if is_short() { 2000 } else { 20_000 };
        host.construct(n, Sample::spawn, scale).unwrap();
        device.on(GPU).construct(n, Sample::spawn, scale).unwrap();
        host.execute(Sample::evaluate, ());
        device.on(GPU).execute(Sample::evaluate, ()).unwrap();
        host.execute(Sample::evaluate_double, ());
        device.on(GPU).execute(Sample::evaluate_double, ()).unwrap();
        host.execute(Sample::evaluate_fast, ());
        device.on(GPU).execute(Sample::evaluate_fast, ()).unwrap();
        host.execute(Sample::draw, (99, 5));
        device.on(GPU).execute(Sample::draw, (99, 5)).unwrap();
        for (a, b) in host.samples.iter().zip(&device.samples) {
            assert_eq!((single(a.x), single(a.y)), (single(b.x), single(b.y)));
            for n in 0..24 {
                assert_eq!(
                    single(a.f[n]),
                    single(b.f[n]),
                    "f32 function {n} of {} and {}: {} {}",
                    a.x,
                    a.y,
                    a.f[n],
                    b.f[n]
                );
                assert_eq!(
                    double(a.g[n]),
                    double(b.g[n]),
                    "f64 function {n} of {} and {}: {} {}",
                    a.x,
                    a.y,
                    a.g[n],
                    b.g[n]
                );
            }
            for n in 0..6 {
                assert!(
                    (a.fast[n] - b.fast[n]).abs() <= 4e-6 * a.fast[n].abs().max(1.0),
                    "{n}: {} {}",
                    a.fast[n],
                    b.fast[n]
                );
            }
            assert_eq!((a.random.map(single), a.bits), (b.random.map(single), b.bits));
        }
    }
}

/// A world of `count` bodies, the link to a tally, and the tally's value after a kernel.
fn tallied(count: usize) -> (Crowd, Link<Tally>) {
    let mut sim = Crowd::new();
    sim.bodies.extend((0..count).map(|n| Body { pos: 0.0, vel: 0.0, age: n as u32 })).unwrap();
    let tally = sim.tallies.push(Tally { calls: 0, by_warp: 0, by_thread: 0, last_thread: 0 }).unwrap();
    (sim, tally)
}

#[test]
fn threads_and_warps_are_one_on_the_host() {
    let (mut sim, tally) = tallied(9000);
    sim.execute(Body::count, Some(tally));
    let counted = sim.tallies.read(tally).unwrap();
    assert_eq!((counted.calls, counted.by_warp, counted.by_thread), (9000, 9000, 9000));
    assert!(counted.last_thread < thread::grid_dim_x());
}

#[test]
fn threads_and_warps_count_what_the_host_counts() {
    if !has_gpu() {
        return;
    }
    let counts = [1, 31, 32, 33, 1000, 9000, 100_000];
    for &count in if is_short() { &counts[..6] } else { &counts[..] } {
        let (mut sim, tally) = tallied(count);
        sim.cuda_execute(Body::count, Some(tally)).unwrap();
        let counted = sim.tallies.read(tally).unwrap();
        let count = count as u32;
        assert_eq!((counted.calls, counted.by_warp, counted.by_thread), (count, count, count));
        assert_eq!(counted.last_thread, count - 1, "a thread an object");
    }
}
