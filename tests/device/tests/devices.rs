//! A world on several GPUs and the host: each kernel sees current values, wherever they are, and only stale fields are
//! copied.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra::{Error, On, Place as At};
use ikra_device_tests::model::waves::*;
use ikra_device_tests::{emulated, has_gpu, is_emulated};

const N: usize = 500;

/// Whether there are two devices. Prints a message if there are not, unless [`several_emulated_devices`] runs the test.
fn has_two() -> bool {
    let devices = if has_gpu() { ikra::gpu::driver::devices().unwrap().len() } else { 0 };
    if devices == 1 && !is_emulated() {
        println!("SKIPPED: {devices} devices, and these tests are for two");
    }
    devices >= 2
}

fn waves() -> Waves {
    let mut sim = Waves::new();
    let links: Vec<_> = sim.left.reserve(N).unwrap().collect();
    for (n, &link) in links.iter().enumerate() {
        sim.left.init(link, Left { a: n as u32, b: 3 * n as u32, next: links[(n * 7 + 3) % N] }).unwrap();
    }
    sim.right.extend((0..N / 2).map(|n| Right { c: n as u32 })).unwrap();
    sim
}

fn check(one: &Waves, other: &Waves, what: &str) {
    assert_eq!(one.left.column(left::a), other.left.column(left::a), "{what}");
    assert_eq!(one.left.column(left::b), other.left.column(left::b), "{what}");
    assert_eq!(one.right.column(right::c), other.right.column(right::c), "{what}");
}

const KERNELS: &[fn(&mut On<'_, Waves>) -> Result<(), Error>] = &[
    |on| on.execute(Left::turn, ()),
    |on| on.execute(Left::swing, ()),
    |on| on.execute(Left::shift, ()),
    |on| on.execute(Right::turn, ()),
    |on| on.over(3..N / 2).execute(Left::shift, ()),
];

#[test]
fn columns_move_between_devices() {
    if !has_two() {
        return;
    }
    let mut random = 2021_u32;
    let mut draw = |below: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) as usize % below
    };
    let (mut host, mut sim) = (waves(), waves());
    for round in 0..300 {
        let place = [At::Gpu(0), At::Gpu(1), At::Gpu(0), At::Gpu(1), At::Host][draw(5)];
        let kernel = KERNELS[draw(KERNELS.len())];
        kernel(&mut host.on(At::Host)).unwrap();
        kernel(&mut sim.on(place)).unwrap();
        match draw(20) {
            0 => check(&host, &sim, &format!("round {round}")),
            1 => {
                let (n, value) = (draw(N), draw(1000) as u32);
                for sim in [&mut host, &mut sim] {
                    sim.left.column_mut(left::b)[n] = value;
                }
            }
            3..=5 => {
                let (n, value) = (draw(N), draw(1000) as u32);
                for sim in [&mut host, &mut sim] {
                    let link = sim.left.links().nth(n).unwrap();
                    sim.set(link, left::b, value);
                }
                let [one, other] = [&host, &sim].map(|sim| {
                    let left = sim.get(sim.left.links().nth(N - 1 - n).unwrap());
                    (left.a(), left.b())
                });
                assert_eq!(one, other, "round {round}");
            }
            2 => {
                for sim in [&mut host, &mut sim] {
                    let next = sim.left.links().next().unwrap();
                    sim.left.push(Left { a: 1, b: round, next }).unwrap();
                }
            }
            _ => {}
        }
    }
    check(&host, &sim, "at the end");
}

#[test]
fn only_what_is_old_moves() {
    if !has_two() {
        return;
    }
    let mut sim = waves();
    let mut last = [(0, 0); 2];
    // Bytes up and down on the device that was used last.
    let mut moved = |sim: &mut Waves, device: usize| {
        let stats = sim.cuda().stats();
        let (now, then) = ((stats.bytes_up, stats.bytes_down), last[device]);
        last[device] = now;
        (now.0 - then.0, now.1 - then.1)
    };
    let column = 4 * N as u64;
    let all = 3 * column + column / 2;
    sim.on(At::Gpu(0)).execute(Left::shift, ()).unwrap();
    assert_eq!(moved(&mut sim, 0), (all, 0));
    sim.on(At::Gpu(1)).execute(Left::shift, ()).unwrap();
    assert_eq!(moved(&mut sim, 1), (all, 0), "a second copy");
    sim.on(At::Gpu(0)).execute(Right::turn, ()).unwrap();
    assert_eq!(moved(&mut sim, 0), (column, column), "`a` to the host before, and now back");
    sim.on(At::Gpu(1)).execute(Left::shift, ()).unwrap();
    assert_eq!(moved(&mut sim, 1), (column / 2, column), "`c`, and `a` was fetched; it is still the last");
    assert_eq!(sim.left.column(left::b)[1], 3);
    assert_eq!(moved(&mut sim, 1), (0, 0), "`b` is everywhere");
    sim.cuda().open(0).unwrap();
    assert_eq!(moved(&mut sim, 0), (0, column / 2), "for the other device");
    sim.cuda_execute(Left::shift, ()).unwrap();
    assert_eq!(moved(&mut sim, 0), (column, 0), "`a`, where `open` said");
    assert_eq!(sim.left.column(left::a)[1], 1 + 4 * 7);
}

/// If the host reads or writes a few objects, only these are copied.
#[test]
fn few_objects_move_alone() {
    if !has_gpu() {
        return;
    }
    const N: usize = 200_000;
    let mut sim = Waves::new();
    let links: Vec<_> = sim.left.reserve(N).unwrap().collect();
    for (n, &link) in links.iter().enumerate() {
        sim.left.init(link, Left { a: n as u32, b: 0, next: links[n / 2] }).unwrap();
    }
    let mut last = (0, 0);
    let mut moved = |sim: &mut Waves| {
        let stats = sim.cuda().stats();
        let (now, then) = ((stats.bytes_up, stats.bytes_down), last);
        last = now;
        (now.0 - then.0, now.1 - then.1)
    };
    let column = 4 * N as u64;
    sim.on(At::Gpu(0)).execute(Left::shift, ()).unwrap();
    assert_eq!(moved(&mut sim), (3 * column, 0));
    sim.set(links[1000], left::b, 5);
    sim.set(links[1003], left::b, 5);
    sim.on(At::Gpu(0)).execute(Left::shift, ()).unwrap();
    assert_eq!(moved(&mut sim), (4 * 4, 0), "from the first to the last that was written");
    assert_eq!((sim.get(links[7]).a(), sim.get(links[7]).a()), (7 + 14, 7 + 14));
    assert_eq!(moved(&mut sim), (0, 4), "one object");
    sim.on(At::Gpu(0)).execute(Left::shift, ()).unwrap();
    assert_eq!((sim.get(links[7]).a(), sim.get(links[100_000]).a()), (7 + 21, 100_000 + 21));
    assert_eq!(moved(&mut sim), (0, 8), "it is fetched again, and another");
    assert!(sim.left.column(left::a).iter().enumerate().all(|(n, &a)| a as usize == n + 21));
    assert_eq!(moved(&mut sim), (0, column - 8), "the others");
    let before = sim.left.push(Left { a: 0, b: 0, next: links[3] });
    sim.on(At::Gpu(0)).execute(Left::turn, ()).unwrap();
    assert!(before.is_ok() && sim.get(links[8]).a() == 3 * (8 + 21) + 4 + 21);
}

#[test]
fn recordings_outlive_another_device() {
    if !has_two() {
        return;
    }
    let (mut host, mut sim) = (waves(), waves());
    let step = |on: &mut On<'_, Waves>| KERNELS[..4].iter().try_for_each(|kernel| kernel(on));
    let recordings = [0, 1].map(|n| sim.on(At::Gpu(n)).record(step).unwrap());
    for round in 0..6 {
        let n = [0, 0, 1, 0, 1, 1][round];
        sim.on(At::Gpu(n)).replay(&recordings[n]).unwrap();
        step(&mut host.on(At::Host)).unwrap();
        KERNELS[2](&mut sim.on(At::Gpu(round % 2))).unwrap();
        KERNELS[2](&mut host.on(At::Host)).unwrap();
    }
    check(&host, &sim, "replayed on both");
    // Work on another device is not recorded, but done at once, as on the host.
    let error = sim.on(At::Gpu(0)).record(|on| {
        on.execute(Left::shift, ())?;
        on.world().on(At::Gpu(1)).execute(Left::shift, ())?;
        on.execute(Left::shift, ())
    });
    assert!(matches!(error, Err(Error::NotRecordable { .. })), "{error:?}");
    host.execute(Left::shift, ());
    check(&host, &sim, "what ran on the other device has run");
    let step = sim.on(At::Gpu(0)).record(|on| {
        on.execute(Left::shift, ())?;
        on.world().on(At::Gpu(1)).execute(Left::shift, ())
    });
    sim.on(At::Gpu(0)).replay(&step.unwrap()).unwrap();
    host.execute(Left::shift, ());
    host.execute(Left::shift, ());
    check(&host, &sim, "once on each device");
    // Another thread's objects may still have columns of a world that records.
    let mut other = waves();
    std::mem::swap(&mut sim.left, &mut other.left);
    let step = sim.on(At::Gpu(0)).record(|on| {
        let other = &mut other;
        std::thread::scope(|scope| scope.spawn(move || other.on(At::Gpu(1)).execute(Left::shift, ())).join().unwrap())?;
        on.execute(Right::turn, ())
    });
    std::mem::swap(&mut sim.left, &mut other.left);
    host.execute(Left::shift, ());
    host.execute(Right::turn, ());
    drop(step.unwrap());
    sim.on(At::Gpu(0)).execute(Right::turn, ()).unwrap();
    check(&host, &sim, "objects elsewhere");
    let error = sim.on(At::Gpu(0)).record(|on| on.world().cuda().open(1).map(drop));
    assert!(matches!(error, Err(Error::NotRecordable { .. })), "{error:?}");
}

#[test]
fn objects_go_to_worlds_on_other_devices() {
    if !has_two() {
        return;
    }
    let (mut first, mut second, mut host) = (waves(), waves(), waves());
    for round in 0..6 {
        first.on(At::Gpu(round % 2)).execute(Right::turn, ()).unwrap();
        second.on(At::Gpu((round + 1) % 2)).execute(Right::turn, ()).unwrap();
        host.execute(Right::turn, ());
        std::mem::swap(&mut first.right, &mut second.right);
    }
    assert_eq!(first.right.column(right::c), host.right.column(right::c));
    // The world is dropped, but its objects are kept.
    std::mem::swap(&mut first.right, &mut second.right);
    drop(second);
    first.on(At::Gpu(0)).execute(Right::turn, ()).unwrap();
    host.execute(Right::turn, ());
    assert_eq!(first.right.column(right::c), host.right.column(right::c));
}

#[test]
fn several_emulated_devices() {
    if !has_gpu() {
        return;
    }
    let tests = [
        "columns_move_between_devices",
        "only_what_is_old_moves",
        "recordings_outlive_another_device",
        "few_objects_move_alone",
        "objects_go_to_worlds_on_other_devices",
    ];
    let said = emulated(&[("DEVICES", "2")], &tests);
    assert!(!said.contains("SKIPPED"), "{said}");
}
