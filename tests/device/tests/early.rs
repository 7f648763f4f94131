//! Kernels that are launched while the previous one ends: where this is possible, and that it does not change results.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra::{Error, On, Place as At};
use ikra_device_tests::model::waves::*;
use ikra_device_tests::{device_code, emulated, has_gpu, is_emulated};

fn waves(n: usize) -> Waves {
    let mut sim = Waves::new();
    let links: Vec<_> = sim.left.reserve(n).unwrap().collect();
    for (k, &link) in links.iter().enumerate() {
        // A distant index, usually in another block.
        sim.left.init(link, Left { a: k as u32, b: 3 * k as u32, next: links[(k * 7 + n / 2) % n] }).unwrap();
    }
    sim.right.extend((0..n / 2).map(|k| Right { c: k as u32 })).unwrap();
    sim
}

#[track_caller]
fn check(one: &Waves, other: &Waves) {
    assert_eq!(one.left.column(left::a), other.left.column(left::a));
    assert_eq!(one.left.column(left::b), other.left.column(left::b));
    assert_eq!(one.right.column(right::c), other.right.column(right::c));
}

/// Each kernel reads the writes of its predecessors, including those of other threads.
fn sequence(on: &mut On<'_, Waves>) -> Result<(), Error> {
    on.execute(Left::turn, ())?;
    on.execute(Left::shift, ())?;
    on.execute(Right::turn, ())?;
    on.execute(Left::swing, ())?;
    on.over(5..).execute(Left::shift, ())?;
    on.execute(Left::turn, ())
}

/// In a chain, each kernel sees all effects of its predecessors, however long they take.
#[test]
fn a_kernel_sees_what_was_done_before_it() {
    if !has_gpu() {
        return;
    }
    // From less than a block to many more than run at the same time.
    for n in if is_emulated() { &[20, 3000][..] } else { &[20, 5000, 400_000] }.iter().copied() {
        let (mut host, mut sim) = (waves(n), waves(n));
        let rounds = if n < 10_000 { 30 } else { 6 };
        for round in 0..rounds {
            sequence(&mut host.on(At::Host)).unwrap();
            sequence(&mut sim.on(At::Gpu(0))).unwrap();
            if round % 5 == 3 {
                // Between the kernels: an upload, and a read of one object.
                for sim in [&mut host, &mut sim] {
                    let link = sim.left.links().nth(n / 3).unwrap();
                    sim.set(link, left::b, round);
                }
                let [one, other] = [&host, &sim].map(|sim| sim.get(sim.left.links().nth(n / 2).unwrap()).a());
                assert_eq!(one, other, "round {round} of {n}");
            }
        }
        check(&host, &sim);
        let more = |on: &mut On<'_, Waves>| sequence(on).and_then(|()| on.execute(Left::trace, ()));
        let step = sim.on(At::Gpu(0)).record(more).unwrap();
        for _ in 0..rounds {
            more(&mut host.on(At::Host)).unwrap();
            sequence(&mut host.on(At::Host)).unwrap();
            sim.on(At::Gpu(0)).replay(&step).unwrap();
            sequence(&mut sim.on(At::Gpu(0))).unwrap();
        }
        check(&host, &sim);
    }
}

/// Kernels after kernels, and after other operations.
#[test]
#[ignore = "run by the others, beside a driver made for it"]
fn mixed_work() {
    let mut sim = waves(20);
    let place = At::Gpu(0);
    eprintln!("BEGIN");
    let mark = |what: &str| eprintln!("MARK {what}");
    sim.on(place).execute(Left::shift, ()).unwrap();
    sim.on(place).execute(Right::turn, ()).unwrap();
    sim.on(place).execute(Left::turn, ()).unwrap();
    sim.on(place).synchronize().unwrap();
    sim.on(place).execute(Left::shift, ()).unwrap();
    mark("upload");
    sim.left.column_mut(left::b)[3] = 7;
    sim.on(place).execute(Left::shift, ()).unwrap();
    sim.on(place).execute(Left::shift, ()).unwrap();
    mark("copies between columns");
    sim.on(place).over(2..9).execute(Left::turn, ()).unwrap();
    sim.on(place).execute(Left::shift, ()).unwrap();
    mark("download");
    assert!(sim.left.column(left::a)[3] > 0);
    sim.on(place).execute(Left::shift, ()).unwrap();
    mark("timed");
    sim.cuda().time_kernels(true).unwrap();
    sim.on(place).execute(Left::shift, ()).unwrap();
    sim.on(place).execute(Left::shift, ()).unwrap();
    sim.cuda().time_kernels(false).unwrap();
    mark("recorded");
    let step = sim.on(place).record(|on| {
        on.execute(Left::shift, ())?;
        on.execute(Right::turn, ())?;
        on.over(2..9).execute(Left::turn, ())?;
        on.execute(Left::shift, ())
    });
    let step = step.unwrap();
    mark("replayed");
    sim.on(place).execute(Right::turn, ()).unwrap();
    sim.on(place).replay(&step).unwrap();
    sim.on(place).execute(Left::shift, ()).unwrap();
    sim.on(place).execute(Left::shift, ()).unwrap();
    mark("constant memory");
    sim.on(place).execute(Left::trace, ()).unwrap();
    sim.on(place).execute(Left::trace, ()).unwrap();
    mark("END");
}

/// The kernels launched in each part of [`mixed_work`]; `*` marks an early launch.
fn starts(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    let said = emulated(&[variables, &[("TRACE", "1")]].concat(), &["mixed_work"]);
    let (mut parts, mut name) = (Vec::new(), String::from("first"));
    let mut starts = String::new();
    for line in said.lines().skip_while(|line| *line != "BEGIN") {
        if let Some(next) = line.strip_prefix("MARK ") {
            parts.push((std::mem::replace(&mut name, next.to_owned()), std::mem::take(&mut starts)));
        } else if let Some((_, kernel)) = line.split_once(" launches ").or_else(|| line.split_once(" starts ")) {
            let early = if kernel.ends_with(" early") { "*" } else { "" };
            let kernel = kernel.strip_prefix("ikra_kernel_").unwrap_or(kernel).trim_end_matches(" early");
            let short: String = kernel.split('_').take(2).collect::<Vec<_>>().join(".");
            starts.push_str(&format!("{}{short}{early}", if starts.is_empty() { "" } else { " " }));
        }
    }
    parts
}

#[test]
fn only_kernels_directly_behind_kernels_are_started_early() {
    if device_code().is_none() {
        return;
    }
    let parts = starts(&[]);
    let parts: Vec<(&str, &str)> = parts.iter().map(|(name, starts)| (name.as_str(), starts.as_str())).collect();
    let wanted = [
        // The first snapshots of a class are cleared before the launch.
        ("first", "Left.shift Right.turn Left.turn Left.shift*"),
        ("upload", "Left.shift Left.shift*"),
        // The snapshot of these objects is copied after the kernel.
        ("copies between columns", "Left.turn* Left.shift"),
        // For so few objects, a kernel copies the column.
        ("download", "ikra.copy* Left.shift*"),
        // Between marks.
        ("timed", "Left.shift Left.shift"),
        // The graph is made by the first replay.
        ("recorded", ""),
        ("replayed", "Right.turn Left.shift Right.turn* Left.turn* Left.shift Left.shift Left.shift*"),
        ("constant memory", "Left.trace Left.trace*"),
    ];
    assert_eq!(parts, wanted);
}

#[test]
fn older_devices_and_drivers_start_none_early() {
    if device_code().is_none() {
        return;
    }
    // A driver that rejects the text must work too.
    let variables =
        [("CAPABILITY", "75"), ("CAPABILITY", "89"), ("CUDA", "12030"), ("PLAN", "text/griddepcontrol:222")];
    for variable in variables {
        let parts = starts(&[variable]);
        assert!(parts.iter().all(|(_, starts)| !starts.contains('*')), "{variable:?}: {parts:?}");
        let starts_some = |(name, starts): &(String, String)| name == "recorded" || starts.contains("Left.");
        assert!(parts.iter().all(starts_some), "{variable:?}: {parts:?}");
    }
}

/// The tests of agreement from the other files.
#[test]
fn nobody_sees_it() {
    if device_code().is_none() {
        return;
    }
    let test = ["a_kernel_sees_what_was_done_before_it"];
    let _ = emulated(&[("CAPABILITY", "75"), ("SEED", "1")], &test);
    let _ = emulated(&[("CAPABILITY", "120"), ("DEVICES", "2"), ("SEED", "2")], &test);
}
