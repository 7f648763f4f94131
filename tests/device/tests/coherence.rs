//! Columns are copied when necessary, and only then.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra_device_tests::model::*;
use ikra_device_tests::{has_gpu, is_short};

const N: usize = 10_000;

fn crowd() -> Crowd {
    let mut sim = Crowd::new();
    sim.bodies.extend((0..N).map(|n| Body { pos: n as f64, vel: 0.5, age: n as u32 % 90 })).unwrap();
    sim
}

/// Bytes up and down since the last call.
fn moved(sim: &mut Crowd, last: &mut (u64, u64)) -> (u64, u64) {
    let stats = sim.cuda().stats();
    let now = (stats.bytes_up, stats.bytes_down);
    let moved = (now.0 - last.0, now.1 - last.1);
    *last = now;
    moved
}

#[test]
fn only_what_changed_moves() {
    if !has_gpu() {
        return;
    }
    let (mut sim, mut last) = (crowd(), (0, 0));
    let (double, int) = (8 * N as u64, 4 * N as u64);
    sim.cuda_execute(Body::advance, 0.1).unwrap();
    assert_eq!(moved(&mut sim, &mut last), (2 * double + int, 0), "everything goes up once");
    for _ in 0..1000 {
        sim.cuda_execute(Body::advance, 0.1).unwrap();
        sim.cuda_execute(Body::grow_old, ()).unwrap();
    }
    assert_eq!(moved(&mut sim, &mut last), (0, 0), "launches without host access move nothing");
    assert_eq!(sim.cuda().stats().launches, 2001);

    let age = sim.bodies.column(body::age)[7];
    assert_eq!(age, 1007);
    assert_eq!(moved(&mut sim, &mut last), (0, int), "reading a column moves that column");
    let _ = sim.bodies.column(body::age)[8];
    let _ = sim.bodies.column(body::vel)[8];
    assert_eq!(moved(&mut sim, &mut last), (0, 0), "what is valid on the host stays there");

    sim.bodies.column_mut(body::vel).fill(2.0);
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    assert_eq!(moved(&mut sim, &mut last), (double, 0), "a column written on the host goes up");

    let first = sim.bodies.links().next().unwrap();
    let pos = sim.get(first).pos();
    assert!((pos - 1001.0 * 0.05).abs() < 1e-9, "{pos}");
    assert_eq!(moved(&mut sim, &mut last), (0, double), "a getter moves its column");

    sim.execute(Body::grow_old, ());
    assert_eq!(moved(&mut sim, &mut last), (0, int), "a kernel on the host moves what is newer on the device");
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    assert_eq!(moved(&mut sim, &mut last), (int, 0), "and what it writes goes up again");
    assert_eq!(sim.get(first).age(), 1003);
}

#[test]
fn reductions_move_their_result() {
    if !has_gpu() {
        return;
    }
    let (mut sim, mut last) = (crowd(), (0, 0));
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    moved(&mut sim, &mut last);
    let sum = sim.cuda_execute_and_reduce(Body::age_of, (), Sum).unwrap();
    assert_eq!(sum, (0..N as u32).map(|n| n % 90 + 1).sum::<u32>());
    assert_eq!(moved(&mut sim, &mut last), (0, 4));
}

#[test]
fn growth_keeps_what_the_device_computed() {
    if !has_gpu() {
        return;
    }
    let mut sim = crowd();
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    sim.bodies.extend((0..3 * N).map(|_| Body { pos: 0.0, vel: 0.0, age: 1000 })).unwrap();
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    let ages = sim.bodies.column(body::age);
    assert!((0..N).all(|n| ages[n] == n as u32 % 90 + 2));
    assert!((N..4 * N).all(|n| ages[n] == 1001));
    sim.bodies.grow_by(100 * N).unwrap();
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    assert_eq!(sim.bodies.column(body::age)[0], 3);
}

#[test]
fn objects_may_move_between_worlds() {
    if !has_gpu() {
        return;
    }
    let (mut a, mut b) = (crowd(), crowd());
    a.cuda_execute(Body::grow_old, ()).unwrap();
    b.cuda_execute(Body::advance, 1.0).unwrap();
    std::mem::swap(&mut a.bodies, &mut b.bodies);
    a.cuda_execute(Body::grow_old, ()).unwrap();
    b.cuda_execute(Body::grow_old, ()).unwrap();
    assert_eq!((a.bodies.column(body::age)[5], b.bodies.column(body::age)[5]), (6, 7));
    assert_eq!((a.bodies.column(body::pos)[5], b.bodies.column(body::pos)[5]), (5.5, 5.0));
}

#[test]
fn recordings_do_the_same_again() {
    if !has_gpu() {
        return;
    }
    let mut sim = crowd();
    let step = sim
        .on(ikra::Place::Gpu(0))
        .record(|sim| {
            sim.execute(Body::advance, 1.0)?;
            sim.execute(Body::grow_old, ())?;
            sim.over(0..10).execute(Body::grow_old, ())
        })
        .unwrap();
    assert_eq!(sim.bodies.column(body::age)[3], 3, "recording runs nothing");
    for _ in 0..50 {
        sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    }
    assert_eq!(sim.cuda().stats().launches, 150);
    let ages = sim.bodies.column(body::age);
    assert_eq!((ages[3], ages[20]), (3 + 100, 20 + 50));
    assert_eq!(sim.bodies.column(body::pos)[3], 3.0 + 25.0);
    // Changes on the host are uploaded before a replay.
    sim.bodies.column_mut(body::age).fill(0);
    sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    assert_eq!(sim.bodies.column(body::age)[3], 2);
    // More objects than when recorded.
    sim.bodies.push(Body { pos: 0.0, vel: 0.0, age: 0 }).unwrap();
    assert!(matches!(sim.on(ikra::Place::Gpu(0)).replay(&step), Err(ikra::Error::StaleRecording { .. })));
    // An operation that cannot be recorded returns an error, and the world remains usable.
    let refused = sim.on(ikra::Place::Gpu(0)).record(|sim| sim.execute_and_reduce(Body::age_of, (), Sum).map(drop));
    assert!(matches!(refused, Err(ikra::Error::NotRecordable { .. })), "{refused:?}");
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    assert_eq!(sim.bodies.column(body::age)[3], 3);
}

#[test]
fn snapshots_can_be_recorded() {
    if !has_gpu() {
        return;
    }
    let build = || {
        let mut sim = GrowingWorld::new();
        let place =
            Place { height: 1.0, visits: 0, balance: 0, lowest: 0, highest: 0, weight: 0.0, mass: 0.0, open: false };
        let place = sim.places.push(place).unwrap();
        sim.construct(500, Growing::spawn, (3, place)).unwrap();
        sim
    };
    let (mut host, mut device) = (build(), build());
    let step = device.on(ikra::Place::Gpu(0)).record(|sim| sim.execute(Growing::look, ())).unwrap();
    for _ in 0..5 {
        host.execute(Growing::look, ());
        device.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    }
    assert_eq!(host.things.column(growing::double), device.things.column(growing::double));
}

/// Objects that left the world share its stream, and threads may read them.
#[test]
fn others_read_columns_while_objects_are_made() {
    if !has_gpu() {
        return;
    }
    let mut sim = GrowingWorld::new();
    let place =
        Place { height: 1.0, visits: 0, balance: 0, lowest: 0, highest: 0, weight: 0.0, mass: 0.0, open: false };
    let place = sim.places.push(place).unwrap();
    let make = |sim: &mut GrowingWorld| {
        sim.on(ikra::Place::Gpu(0)).construct(20, Growing::spawn, (3, place)).unwrap();
        std::mem::take(&mut sim.things)
    };
    let expected = make(&mut sim).copy_column(growing::double);
    assert!(expected.iter().all(|&double| double != 0.0));
    for _ in 0..if is_short() { 2 } else { 10 } {
        let taken: Vec<Objects<Growing>> = (0..60).map(|_| make(&mut sim)).collect();
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let columns = taken.into_iter().map(|things| things.copy_column(growing::double));
                columns.collect::<Vec<_>>()
            });
            while !reader.is_finished() {
                drop(make(&mut sim));
            }
            reader.join().unwrap()
        });
        assert!(read.iter().all(|column| *column == expected));
    }
}

#[test]
fn kernels_are_timed_on_request() {
    if !has_gpu() {
        return;
    }
    let mut sim = crowd();
    sim.cuda().time_kernels(true).unwrap();
    for _ in 0..10 {
        sim.cuda_execute(Body::advance, 0.1).unwrap();
    }
    let stats = sim.cuda().stats();
    assert_eq!(stats.kernels.len(), 1);
    assert_eq!((stats.kernels[0].kernel, stats.kernels[0].launches), ("Body::advance", 10));
    assert!(stats.kernels[0].time.as_nanos() > 0);
    assert!(stats.device_memory >= 20 * N as u64);
}

#[test]
fn floating_point_is_added_atomically() {
    if !has_gpu() {
        return;
    }
    let mut sim = crowd();
    let scale = sim.scales.push(Scale { single: 1.0, double: 0.0, less: 0.0 }).unwrap();
    for round in 1..=2 {
        sim.cuda_execute(Body::weigh, Some(scale)).unwrap();
        let ages: f64 = sim.bodies.column(body::age).iter().map(|&age| f64::from(age)).sum();
        let row = sim.scales.read(scale).unwrap();
        assert_eq!(row.single, 1.0 + round as f32 * 0.5 * N as f32);
        assert_eq!((row.double, row.less), (f64::from(round) * ages, -f64::from(round) * N as f64));
    }
}
