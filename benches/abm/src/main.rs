//! The "ABM frameworks comparison": medians of the time of runs with different seeds, without their setup.
//!
//! `cargo run --release --manifest-path benches/abm/Cargo.toml -- [RUNS]` prints the table.

mod flocking;
mod numbers;
mod schelling;
mod wolves;

use std::time::Instant;

/// A run that is set up.
type Run = Box<dyn FnOnce() + Send>;

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
    let runs: u64 = std::env::args().nth(1).map_or(100, |runs| runs.parse().expect("the number of runs"));
    let pools = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("threads start"));
    println!("| milliseconds | | {} |", names().join(" | "));
    println!("| --- | --- |{}", " ---: |".repeat(names().len()));
    for (model, contestants) in [
        ("wolf, sheep, grass", wolves::CONTESTANTS),
        ("flocking", flocking::CONTESTANTS),
        ("Schelling", schelling::CONTESTANTS),
    ] {
        for (size, size_name) in SIZES {
            let runs = if size == Size::Huge { runs.div_ceil(20) } else { runs };
            let mut times = vec![Vec::new(); contestants.len()];
            // In turns, so that a disturbance of the machine meets all alike.
            for seed in 0..runs {
                for (contestant, times) in contestants.iter().zip(&mut times) {
                    if size != Size::Huge || contestant.is_for_huge {
                        let run = (contestant.new)(size, seed);
                        times.push(pools[contestant.threads - 1].install(|| {
                            let start = Instant::now();
                            run();
                            start.elapsed().as_secs_f64() * 1e3
                        }));
                    }
                }
            }
            let cells = names().into_iter().map(|name| {
                let found = contestants.iter().position(|contestant| contestant.name == name);
                found.map_or(String::new(), |n| shown(&mut times[n]))
            });
            println!("| {model} | {size_name} | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
    }
}

fn names() -> Vec<&'static str> {
    vec!["Ikra, 1 thread", "Ikra, 2 threads", "by hand", "bevy_ecs", "krabmaga"]
}

/// The median, and the least in brackets.
fn shown(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    let number = |time: f64| if time < 10.0 { format!("{time:.2}") } else { format!("{time:.1}") };
    let Some(least) = times.first() else { return String::new() };
    format!("{} ({})", number(times[times.len() / 2]), number(*least))
}
