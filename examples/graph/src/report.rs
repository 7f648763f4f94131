//! Results in words, as files, and beside those of sequential algorithms.

use std::fmt::Display;
use std::io::{self, Write};

use crate::Failure;
use crate::run::{Outcome, Values};
use graph::model::{bfs, sssp};
use graph::{Graph, sequential};

/// Prints a summary, and how long the work took.
pub(crate) fn say(graph: &Graph, outcome: &Outcome) {
    let iterations = outcome.iterations;
    let mut edges = graph.edges() as u64 * u64::from(iterations);
    match &outcome.values {
        Values::Levels(levels) => {
            let reached = || levels.iter().zip(graph.degrees()).filter(|(level, _)| **level != bfs::UNREACHED);
            // The search looks at each edge once.
            edges = reached().map(|(_, degree)| degree as u64).sum();
            let last = reached().map(|(level, _)| level + 1).max().unwrap_or(0);
            println!("{} vertices reached in {last} levels, {} of them pulled", reached().count(), outcome.pulled);
        }
        Values::Components(roots) => {
            let mut sizes = vec![0_u32; roots.len()];
            roots.iter().for_each(|&root| sizes[root as usize] += 1);
            let (count, largest) = (sizes.iter().filter(|&&size| size > 0).count(), sizes.iter().max().unwrap_or(&0));
            println!("{count} components in {iterations} iterations, the largest with {largest} vertices");
        }
        Values::Ranks(ranks) => {
            let best = ranks.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            if let Some((vertex, rank)) = best {
                println!("the highest rank after {iterations} iterations: {rank:.6}, of vertex {}", graph.name(vertex));
            }
        }
        Values::Distances(distances) => {
            let reached = || distances.iter().filter(|&&distance| distance != sssp::UNREACHED);
            let farthest = reached().max().unwrap_or(&0);
            println!("{} vertices reached in {iterations} rounds, the farthest {farthest} away", reached().count());
        }
    }
    println!(
        "{}: {:.1} ms, {:.1} million edges/s; objects built in {:.0} ms",
        outcome.worker,
        outcome.time.as_secs_f64() * 1e3,
        edges as f64 / outcome.time.as_secs_f64() / 1e6,
        outcome.build.as_secs_f64() * 1e3
    );
    outcome.loops.iter().for_each(|line| println!("{line}"));
}

/// Compares with a sequential algorithm.
pub(crate) fn check(graph: &Graph, source: u32, outcome: &Outcome) -> Result<(), Failure> {
    match &outcome.values {
        Values::Levels(levels) => {
            compare(graph, levels, &sequential::search(graph, source), |a, b| a == b)?;
            println!("the same distances as by a sequential search");
        }
        Values::Components(roots) => {
            compare(graph, roots, &sequential::components(graph), |a, b| a == b)?;
            println!("the same components as by a sequential union of sets");
        }
        Values::Ranks(ranks) => {
            let most = 1e-9 / graph.vertices() as f64;
            let expected = sequential::ranks(graph, outcome.iterations);
            compare(graph, ranks, &expected, |a, b| (a - b).abs() <= 1e-9 * b.abs() + most)?;
            println!("the same ranks as by a sequential program, up to a part in 10⁹");
        }
        Values::Distances(distances) => {
            let expected = sequential::shortest(graph, &graph.lengths(), source);
            compare(graph, distances, &expected, |a, b| a == b)?;
            println!("the same distances as by Dijkstra's algorithm");
        }
    }
    Ok(())
}

fn compare<T: Display>(
    graph: &Graph,
    found: &[T],
    expected: &[T],
    is_same: impl Fn(&T, &T) -> bool,
) -> Result<(), Failure> {
    match found.iter().zip(expected).position(|(a, b)| !is_same(a, b)) {
        None => Ok(()),
        Some(vertex) => Err(Failure::Different {
            vertex: graph.name(vertex),
            found: found[vertex].to_string(),
            expected: expected[vertex].to_string(),
        }),
    }
}

/// Writes a line per vertex; vertices that were not reached have an empty distance.
pub(crate) fn write(file: &mut impl Write, graph: &Graph, values: &Values) -> io::Result<()> {
    fn rows<T>(
        file: &mut impl Write,
        graph: &Graph,
        header: &str,
        all: &[T],
        mut cell: impl FnMut(&T) -> String,
    ) -> io::Result<()> {
        writeln!(file, "vertex,{header}")?;
        all.iter().enumerate().try_for_each(|(vertex, value)| writeln!(file, "{},{}", graph.name(vertex), cell(value)))
    }
    let unless = |is_unreached: bool, value: u64| if is_unreached { String::new() } else { value.to_string() };
    match values {
        Values::Levels(all) => rows(file, graph, "distance", all, |&n| unless(n == bfs::UNREACHED, n.into())),
        Values::Components(all) => rows(file, graph, "component", all, |&root| graph.name(root as usize).to_string()),
        Values::Ranks(all) => rows(file, graph, "rank", all, |rank| format!("{rank:e}")),
        Values::Distances(all) => rows(file, graph, "distance", all, |&n| unless(n == sssp::UNREACHED, n)),
    }
}

/// The results from 0 to 1, for a picture.
pub(crate) fn shades(values: &Values) -> Vec<Option<f32>> {
    let of = |all: &mut dyn Iterator<Item = Option<f64>>| {
        let all: Vec<Option<f64>> = all.collect();
        let most = all.iter().flatten().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        all.into_iter().map(|value| value.map(|value| (value / most) as f32)).collect()
    };
    match values {
        Values::Levels(all) => of(&mut all.iter().map(|&n| (n != bfs::UNREACHED).then_some(f64::from(n)))),
        // Numbers of neighbouring components differ, and so do their colours.
        Values::Components(all) => {
            all.iter().map(|&n| Some((n.wrapping_mul(0x9e37_79b9) >> 8) as f32 / 16_777_216.0)).collect()
        }
        Values::Ranks(all) => of(&mut all.iter().map(|rank| Some(rank.sqrt()))),
        Values::Distances(all) => of(&mut all.iter().map(|&n| (n != sssp::UNREACHED).then_some(n as f64))),
    }
}
