//! Tracing a graph of ordinary objects, and writing one column back, beside a walk that only counts them.
//!
//! `cargo bench -p ikra-benches --bench trace` prints times, and the medians of the ratios of a trace and a write-back
//! to the walk that came before it. `-- 100000 8` is for other numbers of objects and links of each.

use std::time::Instant;

use ikra::prelude::*;
use ikra::trace::TraceWorld;
use ikra_benches::trace::{Graph, Node, count, graph, unlink};

const ROUNDS: usize = 11;

/// The seconds that `work` takes, and its result.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), ikra::trace::TraceError> {
    let numbers: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let size = |n: usize, default| numbers.get(n).copied().unwrap_or(default);
    let (objects, degree) = (size(0, 1_000_000), size(1, 8));
    let nodes = graph(objects, degree);
    let (mut walks, mut traces, mut writes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (walk, found) = timed(|| count(&nodes[0]));
        assert_eq!(found, objects);
        let (trace, traced) = timed(|| Graph::trace(&nodes[0]));
        let mut traced = traced?;
        assert_eq!(traced.nodes.len(), objects);
        traced.execute(Node::grow, 1.0);
        let (write, written) = timed(|| traced.write_back());
        assert_eq!(written?, objects);
        walks.push(walk);
        traces.push(trace);
        writes.push(write);
    }
    let ratio = |times: &[f64]| median(times.iter().zip(&walks).map(|(time, walk)| time / walk).collect());
    println!("{objects} objects with {degree} links each, medians of {ROUNDS} rounds");
    println!("walk that counts   {:8.1} ms", 1e3 * median(walks.clone()));
    println!("trace              {:8.1} ms, {:.2} × the walk", 1e3 * median(traces.clone()), ratio(&traces));
    println!("write-back         {:8.1} ms, {:.2} × the walk", 1e3 * median(writes.clone()), ratio(&writes));
    unlink(&nodes);
    Ok(())
}
