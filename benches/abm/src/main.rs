//! The "ABM frameworks comparison": the time of runs, without their setup.
//!
//! `cargo run --release --manifest-path benches/abm/Cargo.toml -- [SEEDS [REPEATS]]` prints the table: the median over
//! seeds. Each run is repeated, and the least time of each step counts, so that other programs on the machine disturb
//! little.

mod flocking;
mod numbers;
mod schelling;
mod wolves;

use std::time::Instant;

/// A run that is set up: each call is a step.
type Run = Box<dyn FnMut() + Send>;

/// Something that is measured: its name, and how a run with a seed is set up.
struct Contestant {
    name: &'static str,
    threads: usize,
    /// Also in the size of a hundred times the large one.
    is_for_huge: bool,
    new: fn(Size, u64) -> Run,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Small,
    Large,
    Huge,
}

const SIZES: [(Size, &str); 3] = [(Size::Small, "small"), (Size::Large, "large"), (Size::Huge, "100 × large")];

fn main() {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse::<u64>().expect("a number"));
    let (seeds, repeats) = (numbers.next().unwrap_or(5), numbers.next().unwrap_or(10));
    let pools = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("threads start"));
    println!("| milliseconds | | {} |", NAMES.join(" | "));
    println!("| --- | --- |{}", " ---: |".repeat(NAMES.len()));
    for (model, steps, contestants) in [
        ("wolf, sheep, grass", 100, wolves::CONTESTANTS),
        ("flocking", 100, flocking::CONTESTANTS),
        ("Schelling", 20, schelling::CONTESTANTS),
    ] {
        for (size, size_name) in SIZES {
            let (seeds, repeats) = if size == Size::Huge { (1, 2) } else { (seeds, repeats) };
            let mut times = vec![Vec::new(); contestants.len()];
            for seed in 0..seeds {
                let mut least = vec![vec![f64::INFINITY; steps]; contestants.len()];
                // In turns, so that a disturbance of the machine meets all alike.
                for _ in 0..repeats {
                    for (contestant, least) in contestants.iter().zip(&mut least) {
                        if size == Size::Huge && !contestant.is_for_huge {
                            continue;
                        }
                        let mut step = (contestant.new)(size, seed);
                        pools[contestant.threads - 1].install(|| {
                            for least in least {
                                let start = Instant::now();
                                step();
                                *least = least.min(start.elapsed().as_secs_f64() * 1e3);
                            }
                        });
                    }
                }
                times.iter_mut().zip(&least).for_each(|(times, least)| times.push(least.iter().sum::<f64>()));
            }
            let cells = NAMES.map(|name| {
                let found = contestants.iter().position(|contestant| contestant.name == name);
                found.map_or(String::new(), |n| median(&mut times[n]))
            });
            println!("| {model} | {size_name} | {} |", cells.join(" | "));
        }
    }
}

const NAMES: [&str; 5] = ["Ikra, 1 thread", "Ikra, 2 threads", "by hand", "bevy_ecs", "krabmaga"];

fn median(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    match times[times.len() / 2] {
        time if time.is_infinite() => String::new(),
        time if time < 10.0 => format!("{time:.2}"),
        time => format!("{time:.1}"),
    }
}
