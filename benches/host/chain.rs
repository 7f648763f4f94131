//! Chains of commands beside chains of iterators over slices, which are on one thread.
//!
//! `cargo bench -p ikra-benches --bench chain` prints times, and the medians of the ratios to the iterators that ran
//! just before. `-- 1000000` is for another number of objects.

use std::hint::black_box;
use std::time::Instant;

use ikra::prelude::*;
use ikra_benches::chain::{Car, Town, car, delay, delays, people, town};
use ikra_benches::timing::with_threads;

const ROUNDS: usize = 15;

/// The seconds that `work` takes.
fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints the times of work by iterators, and by chains on one and on two threads.
fn compare(name: &str, n: usize, town: &mut Town, slices: &dyn Fn(&Town), chain: &(dyn Fn(&mut Town) + Sync)) {
    let mut times = [const { Vec::new() }; 3];
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let by_slices = timed(|| slices(town));
        let [alone, both] = [1, 2].map(|threads| with_threads(threads, || timed(|| chain(town))));
        one.push(by_slices / alone);
        two.push(alone / both);
        times.iter_mut().zip([by_slices, alone, both]).for_each(|(times, time)| times.push(time));
    }
    let [slices, alone, both] = times.map(|times| 1e9 * median(times) / n as f64);
    let (one, two) = (median(one), median(two));
    println!("{name:32} {slices:8.3} {alone:8.3} {both:8.3}   {one:5.2} ×  {two:5.2} ×");
}

fn main() {
    let n = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(1 << 24);
    let mut town = town(n);
    println!("nanoseconds per object, {n} objects, medians of {ROUNDS} rounds");
    println!("{:32} {:>8} {:>8} {:>8}   {:>7}  {:>7}", "", "slices", "1 thread", "2", "speed", "2 to 1");
    for below in [0.01, 0.5, 0.99] {
        compare(
            &format!("people of {below}"),
            n,
            &mut town,
            &|town| {
                black_box(people(town.cars.column(car::speed), town.cars.column(car::people), black_box(below)));
            },
            &|town| {
                black_box(town.select(Car::is_slow, black_box(below)).map(Car::load, ()).reduce(Sum));
            },
        );
        compare(
            &format!("sum of delays of {below}"),
            n,
            &mut town,
            &|town| {
                black_box(delay(town.cars.column(car::speed), town.cars.column(car::time), black_box(below)));
            },
            &|town| {
                black_box(town.select(Car::is_slow, black_box(below)).map(Car::delay, ()).reduce(Sum));
            },
        );
        compare(
            &format!("list of delays of {below}"),
            n,
            &mut town,
            &|town| {
                black_box(delays(town.cars.column(car::speed), town.cars.column(car::time), black_box(below)));
            },
            &|town| {
                black_box(town.select(Car::is_slow, black_box(below)).map(Car::delay, ()).collect());
            },
        );
    }
    compare(
        "all people",
        n,
        &mut town,
        &|town| {
            black_box(town.cars.column(car::people).iter().sum::<u32>());
        },
        &|town| {
            black_box(town.map(Car::load, ()).reduce(Sum));
        },
    );
    compare(
        "all people, by a kernel",
        n,
        &mut town,
        &|town| {
            black_box(town.cars.column(car::people).iter().sum::<u32>());
        },
        &|town| {
            black_box(town.execute_and_reduce(Car::load, (), Sum));
        },
    );
}
