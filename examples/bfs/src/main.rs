//! Breadth-first search over a graph of objects.
#![forbid(unsafe_code)]

mod options;
mod picture;
mod search;

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use bfs::graph::Graph;
use bfs::model::UNREACHED;
use bfs::read::{self, InputError};
use bfs::{roads, sequential};
use example_program::{Output, ThreadsError, Unwritable};
use options::Options;

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error("vertex {vertex} is at distance {found}, and {expected} by a sequential search")]
    Different { vertex: u64, found: u32, expected: u32 },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Threads(error) => error.code(),
            Self::Output(error) => error.code(),
            Self::Ikra(error) => example_program::error_code(error),
            Self::Different { .. } => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    example_program::end("bfs", run(&options), Failure::code)
}

fn run(options: &Options) -> Result<(), Failure> {
    let threads = options.machine.threads()?;
    // Before the work starts: an hour later would be too late to report a missing folder.
    let png = options.png.as_deref().map(Output::open).transpose()?;
    let csv = options.csv.as_deref().map(Output::open).transpose()?;
    let start = Instant::now();
    let graph = match &options.graph {
        Some(path) => read::read(path, options.undirected)?,
        None => roads::generate(options.vertices, options.seed),
    };
    let source = source(&graph, options.source)?;
    println!(
        "{} vertices, {} edges, {:.2} per vertex, read in {:.0} ms",
        graph.vertices(),
        graph.edges(),
        graph.edges() as f64 / graph.vertices() as f64,
        start.elapsed().as_secs_f64() * 1e3
    );

    let outcome = threads.install(|| search::run(&graph, source, options))?;
    let reached = outcome.levels.iter().filter(|&&level| level != UNREACHED);
    let edges: u64 = outcome
        .levels
        .iter()
        .zip(graph.degrees())
        .filter(|(level, _)| **level != UNREACHED)
        .map(|(_, degree)| degree as u64)
        .sum();
    println!(
        "{} vertices reached in {} levels, {} of them pulled",
        reached.clone().count(),
        reached.max().map_or(0, |level| level + 1),
        outcome.pulled
    );
    println!(
        "{}: {:.1} ms, {:.1} million edges/s; objects built in {:.0} ms",
        outcome.worker,
        outcome.search.as_secs_f64() * 1e3,
        edges as f64 / outcome.search.as_secs_f64() / 1e6,
        outcome.build.as_secs_f64() * 1e3
    );
    if options.check {
        check(&graph, source, &outcome.levels)?;
        println!("the same distances as by a sequential search");
    }
    if let Some(png) = png {
        picture::draw(&graph, &outcome.levels).write(png)?;
    }
    if let Some(csv) = csv {
        csv.write(|file| write_levels(file, &graph, &outcome.levels))?;
    }
    Ok(())
}

/// The vertex with the number that the user gave.
fn source(graph: &Graph, vertex: u64) -> Result<u32, InputError> {
    graph.vertex_named(vertex).ok_or_else(|| {
        let last = graph.vertices() - 1;
        let range = match &graph.names {
            Some(_) => format!("the graph's go from {} to {}, perhaps with gaps", graph.name(0), graph.name(last)),
            None => format!("the graph's go from 0 to {last}"),
        };
        InputError::NoSource { vertex, range }
    })
}

/// Compares with a sequential search.
fn check(graph: &Graph, source: u32, levels: &[u32]) -> Result<(), Failure> {
    let expected = sequential::search(graph, source);
    match levels.iter().zip(&expected).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(vertex) => {
            let (found, expected) = (levels[vertex], expected[vertex]);
            Err(Failure::Different { vertex: graph.name(vertex), found, expected })
        }
    }
}

/// Writes one line per vertex; unreached vertices have an empty distance.
fn write_levels(file: &mut impl Write, graph: &Graph, levels: &[u32]) -> std::io::Result<()> {
    writeln!(file, "vertex,distance")?;
    for (vertex, &level) in levels.iter().enumerate() {
        match level {
            UNREACHED => writeln!(file, "{},", graph.name(vertex))?,
            _ => writeln!(file, "{},{level}", graph.name(vertex))?,
        }
    }
    Ok(())
}
