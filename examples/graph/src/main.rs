//! Questions about a graph of objects: distances, components, ranks, shortest paths.
#![forbid(unsafe_code)]

mod options;
mod picture;
mod report;
mod run;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use example_program::{Output, ThreadsError, Unwritable};
use graph::read::{self, InputError};
use graph::{Graph, roads};
use options::{Algorithm, Options, Variant};

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("--variant {0} is for --algorithm bfs: take `vertex` or `edge`")]
    Variant(&'static str),
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error("vertex {vertex}: {found}, and {expected} by a sequential algorithm")]
    Different { vertex: u64, found: String, expected: String },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Input(_) | Self::Variant(_) => 2,
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
    example_program::end("graph", run(&options), Failure::code)
}

fn run(options: &Options) -> Result<(), Failure> {
    match options.variant() {
        Variant::Direction if options.algorithm != Algorithm::Bfs => return Err(Failure::Variant("direction")),
        Variant::Worklist if options.algorithm != Algorithm::Bfs => return Err(Failure::Variant("worklist")),
        _ => {}
    }
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
    let outcome = threads.install(|| run::run(&graph, source, options))?;
    report::say(&graph, &outcome);
    if options.check {
        report::check(&graph, source, &outcome)?;
    }
    if let Some(png) = png {
        picture::draw(&graph, &report::shades(&outcome.values)).write(png)?;
    }
    if let Some(csv) = csv {
        csv.write(|file| report::write(file, &graph, &outcome.values))?;
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
