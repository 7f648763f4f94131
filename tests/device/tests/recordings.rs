//! Recordings belong to the world in which they were made. Whatever happens during a recording, the world remains
//! usable afterwards.
#![allow(missing_docs, reason = "a test, not a library")]

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;
use ikra::{Error, On, Place as At, Recording, gpu::GpuError};
use ikra_device_tests::model::waves::*;
use ikra_device_tests::model::*;
use ikra_device_tests::{emulated, has_gpu, is_short};

const N: usize = 1000;

fn crowd() -> Crowd {
    let mut sim = Crowd::new();
    sim.bodies.extend((0..N).map(|n| Body { pos: n as f64, vel: 0.5, age: n as u32 })).unwrap();
    sim
}

fn older(sim: &mut Crowd) -> Recording {
    sim.on(ikra::Place::Gpu(0)).record(|sim| sim.execute(Body::grow_old, ())).unwrap()
}

#[track_caller]
fn check_ages(sim: &Crowd, by: u32) {
    let ages = sim.bodies.column(body::age);
    for (n, &age) in ages.iter().enumerate() {
        assert_eq!(age, n as u32 + by, "object {n}");
    }
}

#[track_caller]
fn stale(result: Result<(), Error>, text: &str) {
    match result {
        Err(Error::StaleRecording { reason }) => assert!(reason.contains(text), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn not_recordable<T: std::fmt::Debug>(result: Result<T, Error>, text: &str) {
    match result {
        Err(Error::NotRecordable { what }) => assert!(what.contains(text), "{what}"),
        other => panic!("{other:?}"),
    }
}

/// The panic message of a closure.
fn panic_text<T>(work: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| drop(work()))).unwrap_err();
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => (*panic.downcast::<&str>().unwrap()).to_owned(),
    }
}

/// Checks that everything works in a world whose ages have increased by `by`.
#[track_caller]
fn check_usable(sim: &mut Crowd, mut by: u32) {
    check_ages(sim, by);
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    by += 1;
    sim.on(ikra::Place::Gpu(0)).synchronize().unwrap();
    check_ages(sim, by);
    let sum = (0..N as u32).map(|n| n + by).sum::<u32>();
    assert_eq!(sim.cuda_execute_and_reduce(Body::age_of, (), Sum).unwrap(), sum);
    let step = older(sim);
    sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    check_ages(sim, by + 2);
    sim.execute(Body::grow_old, ());
    sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    check_ages(sim, by + 4);
}

#[test]
fn another_world_has_other_columns() {
    if !has_gpu() {
        return;
    }
    let (mut a, mut b) = (crowd(), crowd());
    let step = older(&mut a);
    let _ = older(&mut b);
    stale(b.on(ikra::Place::Gpu(0)).replay(&step), "another world");
    check_ages(&a, 0);
    check_ages(&b, 0);
    a.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    check_ages(&a, 1);
    check_ages(&b, 0);
    // A world that was never on the device.
    let mut c = crowd();
    stale(c.on(ikra::Place::Gpu(0)).replay(&step), "another world");
    check_usable(&mut c, 0);
    check_usable(&mut b, 0);
}

#[test]
fn recordings_outlive_their_worlds() {
    if !has_gpu() {
        return;
    }
    let mut a = crowd();
    let step = older(&mut a);
    a.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    drop(a);
    let mut b = crowd();
    stale(b.on(ikra::Place::Gpu(0)).replay(&step), "another world");
    let _ = older(&mut b);
    stale(b.on(ikra::Place::Gpu(0)).replay(&step), "another world");
    // Assigned in place, so that the world keeps its predecessor's address.
    let mut c = crowd();
    let steps: Vec<Recording> = (0..3).map(|_| older(&mut c)).collect();
    c = crowd();
    let _ = older(&mut c);
    for step in &steps {
        stale(c.on(ikra::Place::Gpu(0)).replay(step), "another world");
    }
    drop(steps);
    mem::forget(step);
    check_usable(&mut c, 0);
    check_usable(&mut b, 0);
}

#[test]
fn recordings_follow_a_world_that_moves() {
    if !has_gpu() {
        return;
    }
    let (mut a, mut b) = (crowd(), crowd());
    let (first, second) = (older(&mut a), older(&mut b));
    mem::swap(&mut a, &mut b);
    stale(a.on(ikra::Place::Gpu(0)).replay(&first), "another world");
    a.on(ikra::Place::Gpu(0)).replay(&second).unwrap();
    check_ages(&a, 1);
    check_ages(&b, 0);
    let (mut a, second) = std::thread::spawn(move || {
        a.on(ikra::Place::Gpu(0)).replay(&second).unwrap();
        (a, second)
    })
    .join()
    .unwrap();
    a.on(ikra::Place::Gpu(0)).replay(&second).unwrap();
    check_ages(&a, 3);
    std::thread::scope(|scope| {
        scope.spawn(|| a.on(ikra::Place::Gpu(0)).replay(&second).unwrap());
        scope.spawn(|| b.on(ikra::Place::Gpu(0)).replay(&first).unwrap());
    });
    check_ages(&a, 4);
    check_ages(&b, 1);
    // The recording is dropped elsewhere, and after the world.
    drop(b);
    std::thread::spawn(move || drop(first)).join().unwrap();
    check_usable(&mut a, 4);
}

#[test]
fn objects_of_another_world_are_others() {
    if !has_gpu() {
        return;
    }
    let (mut a, mut b) = (crowd(), crowd());
    let step = older(&mut a);
    a.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    b.cuda_execute(Body::grow_old, ()).unwrap();
    b.cuda_execute(Body::grow_old, ()).unwrap();
    mem::swap(&mut a.bodies, &mut b.bodies);
    stale(a.on(ikra::Place::Gpu(0)).replay(&step), "columns of class Body were exchanged");
    a.cuda_execute(Body::grow_old, ()).unwrap();
    check_ages(&a, 3);
    check_ages(&b, 1);
    // Swapped back: the tables on the device are new.
    mem::swap(&mut a.bodies, &mut b.bodies);
    a.cuda_execute(Body::grow_old, ()).unwrap();
    b.cuda_execute(Body::grow_old, ()).unwrap();
    check_ages(&a, 2);
    check_ages(&b, 4);
    check_usable(&mut a, 2);
    check_usable(&mut b, 4);
}

#[test]
fn the_reason_is_said() {
    if !has_gpu() {
        return;
    }
    let mut sim = crowd();
    let step = older(&mut sim);
    sim.bodies.push(Body { pos: 0.0, vel: 0.0, age: N as u32 }).unwrap();
    stale(sim.on(ikra::Place::Gpu(0)).replay(&step), "1000 objects of class Body, and there are 1001");
    let mut sim = crowd();
    let step = older(&mut sim);
    sim.tallies.push(Tally { calls: 0, by_warp: 0, by_thread: 0, last_thread: 0 }).unwrap();
    stale(sim.on(ikra::Place::Gpu(0)).replay(&step), "class Tally");
    sim.bodies.grow_by(100 * N).unwrap();
    let step = older(&mut sim);
    sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    check_ages(&sim, 1);
}

#[test]
fn what_cannot_be_recorded_says_so() {
    if !has_gpu() {
        return;
    }
    let mut sim = crowd();
    let step = older(&mut sim);
    not_recordable(
        sim.on(ikra::Place::Gpu(0)).record(|sim| sim.execute_and_reduce(Body::age_of, (), Sum).map(drop)),
        "a reduction",
    );
    not_recordable(sim.on(ikra::Place::Gpu(0)).record(|sim| sim.synchronize()), "synchronizing");
    not_recordable(
        sim.on(ikra::Place::Gpu(0)).record(|sim| sim.world().cuda().time(|_| Ok(())).map(drop)),
        "taking the time",
    );
    not_recordable(sim.on(ikra::Place::Gpu(0)).record(|sim| sim.replay(&step)), "replaying another one");
    not_recordable(sim.on(ikra::Place::Gpu(0)).record(|sim| sim.record(|_| Ok(())).map(drop)), "another recording");
    let link = sim.bodies.links().next().unwrap();
    not_recordable(
        sim.on(ikra::Place::Gpu(0)).record(|sim| sim.over(&[link]).execute(Body::grow_old, ())),
        "a list of links",
    );
    not_recordable(
        sim.on(ikra::Place::Gpu(0)).record(|sim| {
            sim.world().bodies.column_mut(body::vel).fill(0.5);
            sim.execute(Body::grow_old, ())
        }),
        "columns of class Body",
    );
    let others = ikra::gpu::driver::devices().unwrap().len();
    if others > 1 {
        not_recordable(
            sim.on(ikra::Place::Gpu(0)).record(|sim| sim.world().cuda().open(1).map(drop)),
            "opening another device",
        );
    }
    sim.on(ikra::Place::Gpu(0)).record(|sim| sim.world().cuda().open(0).map(drop)).unwrap();
    // The closure swallows an error: the recording would lack that kernel.
    not_recordable(
        sim.on(ikra::Place::Gpu(0)).record(|sim| {
            sim.execute(Body::grow_old, ())?;
            let _ = sim.synchronize();
            Ok(())
        }),
        "a call that failed",
    );
    sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    check_usable(&mut sim, 1);
}

#[test]
fn objects_made_while_recording() {
    if !has_gpu() {
        return;
    }
    let mut sim = crowd();
    not_recordable(
        sim.on(ikra::Place::Gpu(0)).record(|sim| {
            sim.world().bodies.push(Body { pos: 0.0, vel: 0.5, age: N as u32 }).unwrap();
            sim.execute(Body::grow_old, ())
        }),
        "class Body",
    );
    assert_eq!(sim.bodies.len(), N + 1);
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    check_ages(&sim, 1);
}

#[test]
fn a_panic_while_recording() {
    if !has_gpu() {
        return;
    }
    for before in [false, true] {
        let mut sim = crowd();
        if before {
            sim.cuda_execute(Body::grow_old, ()).unwrap();
        }
        let text = panic_text(|| {
            sim.on(ikra::Place::Gpu(0)).record(|sim| {
                sim.execute(Body::grow_old, ()).unwrap();
                panic!("on purpose");
            })
        });
        assert_eq!(text, "on purpose");
        check_usable(&mut sim, before.into());
    }
}

#[test]
fn columns_read_while_recording() {
    if !has_gpu() {
        return;
    }
    // The kernel before the recording changed the column; the recorded ones have not run.
    let mut sim = crowd();
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    let step = sim
        .on(ikra::Place::Gpu(0))
        .record(|sim| {
            sim.execute(Body::grow_old, ())?;
            assert_eq!(sim.world().bodies.column(body::age)[3], 4);
            sim.execute(Body::grow_old, ())
        })
        .unwrap();
    check_ages(&sim, 1);
    sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    check_usable(&mut sim, 3);
    // Another thread reads objects that left the world.
    let mut sim = crowd();
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    let gone = std::mem::replace(&mut sim.bodies, crowd().bodies);
    let step = sim
        .on(ikra::Place::Gpu(0))
        .record(|sim| {
            sim.execute(Body::grow_old, ())?;
            let read = std::thread::scope(|scope| scope.spawn(|| gone.copy_column(body::age)[3]).join());
            assert_eq!(read.unwrap(), 4);
            sim.execute(Body::grow_old, ())
        })
        .unwrap();
    sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    check_usable(&mut sim, 2);
    // Columns that a recorded kernel will change, but none has yet: nothing has run.
    let mut sim = crowd();
    let step = sim
        .on(ikra::Place::Gpu(0))
        .record(|sim| {
            sim.execute(Body::grow_old, ())?;
            assert_eq!(sim.world().bodies.column(body::age)[3], 3);
            assert_eq!(sim.world().bodies.column(body::vel)[3], 0.5);
            Ok(())
        })
        .unwrap();
    check_ages(&sim, 0);
    sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    check_usable(&mut sim, 1);
}

#[test]
fn what_is_recorded_is_newer_on_the_device_when_it_is_replayed() {
    if !has_gpu() {
        return;
    }
    let mut sim = crowd();
    sim.cuda_execute(Body::advance, 1.0).unwrap();
    sim.on(ikra::Place::Gpu(0)).synchronize().unwrap();
    let step = older(&mut sim);
    let down = sim.cuda().stats().bytes_down;
    check_ages(&sim, 0);
    assert_eq!(sim.cuda().stats().bytes_down, down, "the host has the last values");
    sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    check_ages(&sim, 1);
    assert!(sim.cuda().stats().bytes_down > down, "the device has");
    check_usable(&mut sim, 1);
}

#[test]
fn recordings_do_the_same_at_every_place() {
    if !has_gpu() {
        return;
    }
    fn step(sim: &mut On<'_, Crowd>) -> Result<(), Error> {
        sim.execute(Body::advance, 0.7)?;
        sim.execute(Body::grow_old, ())?;
        sim.over(..10).execute(Body::grow_old, ())
    }
    let results = [At::Host, At::Gpu(0)].map(|place| {
        let mut sim = crowd();
        let recorded = sim.on(place).record(step).unwrap();
        check_ages(&sim, 0);
        for _ in 0..3 {
            sim.on(place).replay(&recorded).unwrap();
            step(&mut sim.on(place)).unwrap();
        }
        let elsewhere = if place == At::Host { At::Gpu(0) } else { At::Host };
        stale(sim.on(elsewhere).replay(&recorded), "made at");
        not_recordable(sim.on(place).record(|sim| sim.synchronize()), "synchronizing");
        let positions: Vec<u64> = sim.bodies.column(body::pos).iter().map(|pos| pos.to_bits()).collect();
        (sim.bodies.column(body::age).to_vec(), positions)
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn the_best_place_is_a_gpu() {
    if !has_gpu() {
        return;
    }
    let mut sim = crowd();
    let best = At::best(&mut sim);
    let name = &ikra::gpu::driver::devices().unwrap()[0].name;
    assert_eq!((best.place, &best.worker), (At::Gpu(0), name));
    assert_eq!(best.to_string(), format!("gpu:0 ({name})"));
    sim.on(best.place).execute(Body::grow_old, ()).unwrap();
    let nowhere = sim.on(At::Gpu(1 << 20)).synchronize();
    assert!(matches!(nowhere, Err(Error::Gpu(GpuError::NoDevice { .. }))), "{nowhere:?}");
    check_ages(&sim, 1);
    check_usable(&mut sim, 1);
}

#[test]
fn the_hosts_executor_while_recording() {
    if !has_gpu() {
        return;
    }
    let mut sim = crowd();
    sim.cuda_execute(Body::grow_old, ()).unwrap();
    let step = sim
        .on(ikra::Place::Gpu(0))
        .record(|sim| {
            sim.execute(Body::grow_old, ())?;
            sim.world().execute(Body::grow_old, ());
            Ok(())
        })
        .unwrap();
    check_ages(&sim, 2);
    sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    check_usable(&mut sim, 3);
    // Recording anything after it is rejected.
    let mut sim = crowd();
    not_recordable(
        sim.on(ikra::Place::Gpu(0)).record(|sim| {
            sim.world().execute(Body::grow_old, ());
            sim.execute(Body::grow_old, ())
        }),
        "elsewhere",
    );
    check_usable(&mut sim, 1);
}

#[test]
fn another_world_put_in_place_while_recording() {
    if !has_gpu() {
        return;
    }
    let mut sim = crowd();
    not_recordable(
        sim.on(ikra::Place::Gpu(0)).record(|sim| {
            sim.execute(Body::grow_old, ())?;
            *sim.world() = crowd();
            Ok(())
        }),
        "another world",
    );
    check_usable(&mut sim, 0);
    // A closure that then uses the device itself.
    not_recordable(
        sim.on(ikra::Place::Gpu(0)).record(|sim| {
            *sim.world() = crowd();
            sim.execute(Body::grow_old, ())
        }),
        "another world",
    );
    check_usable(&mut sim, 1);
    // Swapped: both remain usable, and the recorded one is no longer recorded.
    let (mut a, mut b) = (crowd(), crowd());
    b.cuda_execute(Body::grow_old, ()).unwrap();
    not_recordable(
        a.on(ikra::Place::Gpu(0)).record(|sim| {
            sim.execute(Body::grow_old, ())?;
            mem::swap(sim.world(), &mut b);
            sim.execute(Body::grow_old, ())
        }),
        "another world",
    );
    check_usable(&mut a, 2);
    check_usable(&mut b, 0);
    // Swapped, then swapped back.
    let (mut a, mut b) = (crowd(), crowd());
    let step = a
        .on(ikra::Place::Gpu(0))
        .record(|sim| {
            mem::swap(sim.world(), &mut b);
            sim.execute(Body::grow_old, ())?;
            mem::swap(sim.world(), &mut b);
            sim.execute(Body::grow_old, ())
        })
        .unwrap();
    check_ages(&a, 0);
    check_ages(&b, 1);
    a.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    check_usable(&mut a, 1);
    check_usable(&mut b, 1);
    // Only the objects are swapped.
    let (mut a, mut b) = (crowd(), crowd());
    b.cuda_execute(Body::grow_old, ()).unwrap();
    not_recordable(
        a.on(ikra::Place::Gpu(0)).record(|sim| {
            mem::swap(&mut sim.world().bodies, &mut b.bodies);
            sim.execute(Body::grow_old, ())
        }),
        "class Body",
    );
    check_usable(&mut a, 1);
    check_usable(&mut b, 0);
}

#[test]
fn snapshots_outside_a_recording() {
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
    device.cuda_execute(Growing::look, ()).unwrap();
    // Columns and snapshots were swapped since, and are swapped again.
    device.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    device.cuda_execute(Growing::look, ()).unwrap();
    device.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
    for _ in 0..4 {
        host.execute(Growing::look, ());
    }
    assert_eq!(host.things.column(growing::double), device.things.column(growing::double));
}

type Sequence = fn(&mut On<'_, Waves>) -> Result<(), Error>;

/// Even and odd numbers of swaps, of several kernels and classes, and a range, whose snapshots are copied.
const SEQUENCES: &[Sequence] = &[
    |on| on.execute(Left::turn, ()),
    |on| {
        on.execute(Left::turn, ())?;
        on.execute(Left::shift, ())
    },
    |on| {
        on.execute(Left::turn, ())?;
        on.execute(Left::turn, ())
    },
    |on| {
        on.execute(Left::turn, ())?;
        on.execute(Right::turn, ())
    },
    |on| {
        on.execute(Left::swing, ())?;
        on.execute(Right::turn, ())?;
        on.execute(Left::turn, ())?;
        on.execute(Left::shift, ())?;
        on.execute(Left::swing, ())?;
        on.execute(Left::turn, ())?;
        on.execute(Left::turn, ())
    },
    |on| {
        on.execute(Left::turn, ())?;
        on.over(10..200).execute(Left::turn, ())?;
        on.over(..7).execute(Left::swing, ())?;
        on.execute(Left::swing, ())
    },
    |on| (0..101).try_for_each(|_| on.execute(Left::turn, ())),
    |_| Ok(()),
    |on| {
        on.execute(Left::turn, ())?;
        on.execute(Left::trace, ())?;
        on.execute(Left::swing, ())?;
        on.execute(Left::trace, ())
    },
    |on| {
        on.execute(Left::trace, ())?;
        on.execute(Left::turn, ())
    },
    |on| {
        on.execute(Left::turn, ())?;
        on.execute(Left::trace, ())?;
        on.execute(Left::turn, ())
    },
];

fn waves(count: usize) -> Waves {
    let mut sim = Waves::new();
    let links: Vec<_> = sim.left.reserve(count).unwrap().collect();
    for (n, &link) in links.iter().enumerate() {
        sim.left.init(link, Left { a: n as u32, b: 3 * n as u32, next: links[(n * 7 + 3) % count] }).unwrap();
    }
    sim.right.extend((0..count / 2).map(|n| Right { c: n as u32 })).unwrap();
    sim
}

#[test]
fn snapshots_change_places() {
    if !has_gpu() {
        return;
    }
    for (number, sequence) in SEQUENCES.iter().enumerate() {
        let count = if is_short() { 200 } else { N };
        let (mut host, mut device) = (waves(count), waves(count));
        device.on(At::Gpu(0)).execute(Left::swing, ()).unwrap();
        host.on(At::Host).execute(Left::swing, ()).unwrap();
        let step = device.on(At::Gpu(0)).record(sequence).unwrap();
        let other = device.on(At::Gpu(0)).record(SEQUENCES[0]).unwrap();
        // Kernels between replays leave columns at other addresses than the previous replay.
        let between: &[Sequence] =
            &[|_| Ok(()), SEQUENCES[7], SEQUENCES[0], SEQUENCES[4], SEQUENCES[8], SEQUENCES[3], SEQUENCES[9]];
        let between = if is_short() { &between[..4] } else { between };
        for (round, between) in between.iter().enumerate() {
            between(&mut host.on(At::Host)).unwrap();
            between(&mut device.on(At::Gpu(0))).unwrap();
            for _ in 0..round {
                sequence(&mut host.on(At::Host)).unwrap();
                device.on(At::Gpu(0)).replay(&step).unwrap();
            }
            if round % 2 == 0 {
                SEQUENCES[0](&mut host.on(At::Host)).unwrap();
                device.on(At::Gpu(0)).replay(&other).unwrap();
            }
            let what = format!("sequence {number}, round {round}");
            assert_eq!(host.left.column(left::a), device.left.column(left::a), "{what}");
            assert_eq!(host.left.column(left::b), device.left.column(left::b), "{what}");
            assert_eq!(host.right.column(right::c), device.right.column(right::c), "{what}");
            // The host's changes are visible, wherever the column is.
            for sim in [&mut host, &mut device] {
                sim.left.column_mut(left::a)[round] += 1;
            }
        }
    }
}

#[test]
#[ignore = "run by others, on the emulator"]
fn a_recording_of_whole_columns() {
    assert!(has_gpu());
    let mut sim = waves(N);
    let step = sim.on(At::Gpu(0)).record(SEQUENCES[4]).unwrap();
    sim.on(At::Gpu(0)).replay(&step).unwrap();
}

#[test]
#[ignore = "run by others, on the emulator"]
fn a_recording_that_reads_tables() {
    assert!(has_gpu());
    let mut sim = waves(N);
    let step = sim.on(At::Gpu(0)).record(SEQUENCES[8]).unwrap();
    sim.on(At::Gpu(0)).replay(&step).unwrap();
}

#[test]
fn recordings_copy_tables_and_no_columns() {
    if !has_gpu() {
        return;
    }
    let copies = |test: &str| -> Vec<usize> {
        let said = emulated(&[("TRACE", "1")], &[test]);
        let copies =
            said.lines().filter_map(|line| line.split_once("captures a copy of ")?.1.split(' ').next()?.parse().ok());
        copies.collect()
    };
    // Each launch receives the addresses of columns.
    assert_eq!(copies("a_recording_of_whole_columns"), [0; 0]);
    // The smallest column has 2,000 bytes. There are two graphs, with a table before each kernel that reads one.
    let tables = copies("a_recording_that_reads_tables");
    assert!(tables.len() >= 2 && tables.iter().all(|&bytes| bytes < 100), "{tables:?}");
}

#[test]
fn threads_record_side_by_side() {
    if !has_gpu() {
        return;
    }
    let rounds = if is_short() { 6 } else { 20 };
    std::thread::scope(|scope| {
        for thread in 0..8_u32 {
            scope.spawn(move || {
                let mut sim = crowd();
                for round in 0..rounds {
                    if round % 3 == 2 {
                        panic_text(|| sim.on(ikra::Place::Gpu(0)).record(|_| panic!("on purpose")));
                    }
                    let step = older(&mut sim);
                    for _ in 0..thread {
                        sim.on(ikra::Place::Gpu(0)).replay(&step).unwrap();
                    }
                }
                check_ages(&sim, rounds * thread);
            });
        }
    });
}
