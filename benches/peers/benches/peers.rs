//! Checks that all systems compute the same, then prints their times as a Markdown table: nanoseconds per object, medians,
//! and in brackets how many times as fast as the reference. The samples of the systems take turns, so that
//! a disturbance of the machine meets them alike. `cargo bench -- 1000` takes another number of objects.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ikra_peers::{Create, SYSTEMS, System, Threads};

/// How long one sample takes at least.
const SAMPLE: Duration = Duration::from_millis(20);
/// Samples per system and work.
const SAMPLES: usize = 25;

fn main() {
    let objects = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(1_000_000);
    check(10_007);
    let mut systems: Vec<_> = SYSTEMS.iter().map(|create| create(objects)).collect();
    systems.iter_mut().for_each(|system| system.add_followers());

    print!("| {objects} objects |");
    systems.iter().for_each(|system| print!(" {} |", system.name()));
    println!("\n| --- |{}", " ---: |".repeat(systems.len()));
    for (name, work) in WORK {
        print_row(name, objects, &medians(&mut systems, |system| timed(system, work)));
    }
    print_row("create", objects, &medians(&mut SYSTEMS.to_vec(), |create| created(*create, objects)));
}

/// Something that each system does.
type Work = fn(&mut dyn System);

/// What is timed for each system.
const WORK: [(&str, Work); 5] = [
    ("advance, 1 thread", |system| system.advance(Threads::One)),
    ("advance, 2 threads", |system| system.advance(Threads::Two)),
    ("follow a random link, 1 thread", |system| system.follow(Threads::One)),
    ("follow a random link, 2 threads", |system| system.follow(Threads::Two)),
    ("iterate and count", |system| _ = black_box(system.count_right_of(black_box(1e6)))),
];

/// All systems end with the same bits, on one thread and on two.
///
/// # Panics
///
/// If they do not.
fn check(objects: usize) {
    let run = |create: &Create, threads| {
        let mut system = create(objects);
        system.add_followers();
        for _ in 0..3 {
            system.advance(threads);
            system.follow(threads);
        }
        (system.count_right_of(5_000.0), system.positions(), system.seen())
    };
    let expected = run(&SYSTEMS[0], Threads::One);
    assert!(expected.0 > 0 && expected.0 < objects, "the threshold divides the bodies");
    for create in &SYSTEMS {
        for threads in [Threads::One, Threads::Two] {
            assert!(run(create, threads) == expected, "{} gives other results, {threads:?}", create(0).name());
        }
    }
}

/// The median of each contestant's samples, in nanoseconds.
fn medians<S>(contestants: &mut [S], mut sample: impl FnMut(&mut S) -> f64) -> Vec<f64> {
    let mut samples = vec![Vec::new(); contestants.len()];
    for _ in 0..SAMPLES {
        for (contestant, samples) in contestants.iter_mut().zip(&mut samples) {
            samples.push(sample(contestant));
        }
    }
    samples
        .into_iter()
        .map(|mut samples| {
            samples.sort_by(f64::total_cmp);
            samples[SAMPLES / 2]
        })
        .collect()
}

/// Nanoseconds per call, after a call that fills the caches.
fn timed(system: &mut Box<dyn System>, work: Work) -> f64 {
    work(system.as_mut());
    let (start, mut calls) = (Instant::now(), 0_u32);
    while start.elapsed() < SAMPLE {
        work(system.as_mut());
        calls += 1;
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}

/// Nanoseconds to make the bodies, without dropping them.
fn created(create: Create, objects: usize) -> f64 {
    let start = Instant::now();
    let system = create(objects);
    let time = start.elapsed();
    drop(system);
    time.as_nanos() as f64
}

fn print_row(name: &str, objects: usize, medians: &[f64]) {
    print!("| {name} |");
    for (system, median) in medians.iter().enumerate() {
        print!(" {:.2}", median / objects as f64);
        if system > 0 {
            print!(" ({:.2})", medians[0] / median);
        }
        print!(" |");
    }
    println!();
}
