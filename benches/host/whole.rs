//! Whole models beside twins in plain Rust: milliseconds per step, medians over steps in which both take turns, and
//! medians of the ratios. `cargo bench … -- rabbits coli` takes some models only, `-- 20` smaller ones.

use std::time::Instant;

use ikra_benches::timing::with_threads;
use ikra_benches::whole::{Model, births, boids, coli, economy, pagerank, rabbits, springs};

/// Steps of each program.
const STEPS: u32 = 30;

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Median milliseconds per step of Ikra and of the twin, and the median of their ratios.
fn measure<M: Model>(scale: usize, threads: usize) -> [f64; 3] {
    let (mut world, mut twin) = M::make(scale);
    let mut times = [Vec::new(), Vec::new()];
    with_threads(threads, || {
        for step in 0..STEPS {
            let start = Instant::now();
            M::step(&mut world, step);
            times[0].push(start.elapsed().as_secs_f64() * 1e3);
            let start = Instant::now();
            M::twin_step(&mut twin, step);
            times[1].push(start.elapsed().as_secs_f64() * 1e3);
        }
    });
    assert_eq!(M::digest(&world), M::twin_digest(&twin), "{}: the same result", M::NAME);
    let ratios = times[1].iter().zip(&times[0]).map(|(twin, ikra)| twin / ikra).collect();
    let [ikra, twin] = times.map(median);
    [ikra, twin, median(ratios)]
}

fn row<M: Model>(chosen: &[String], scale: usize) {
    if !chosen.is_empty() && !chosen.iter().any(|name| name == M::NAME) {
        return;
    }
    let [ikra, twin, ratio] = measure::<M>(scale, 1);
    let [two, _, by_two] = measure::<M>(scale, 2);
    println!("| {} | {twin:.2} | {ikra:.2} ({ratio:.2}) | {two:.2} ({by_two:.2}) |", M::NAME);
}

fn main() {
    let (numbers, names): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .partition(|argument| argument.parse::<usize>().is_ok());
    let scale = numbers.first().and_then(|number| number.parse().ok()).unwrap_or(100);
    println!("| model | plain Rust | Ikra | Ikra, 2 threads |\n| --- | ---: | ---: | ---: |");
    row::<births::Births>(&names, scale);
    row::<births::Compacting>(&names, scale);
    row::<rabbits::Rabbits>(&names, scale);
    row::<boids::Boids>(&names, scale);
    row::<economy::Payments>(&names, scale);
    row::<coli::Coli>(&names, scale);
    row::<springs::Springs>(&names, scale);
    row::<pagerank::PageRank>(&names, scale);
}
