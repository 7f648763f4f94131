//! PageRank of a graph in tables, written back as a table.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use example_program::{Machine, Progress, ThreadsError, Unwritable, say};
use ikra::tables::{Export, TableError};
use tables::model::{Graph, Vertex, vertex};
use tables::read::{InputError, Names, read};
use tables::{rank, sequential};

/// Ranks the vertices of a graph by PageRank. By default: the countries of South America, by their borders.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// The edges: `.parquet` or `.csv` with a column for each end, or `.txt` or `.gz` with lines FROM TO.
    #[arg(long)]
    input: Option<PathBuf>,

    /// The vertices: `.parquet` or `.csv` with a column of ids. By default the ends of all edges.
    #[arg(long, requires = "input")]
    vertices: Option<PathBuf>,

    /// The column with the vertex where an edge starts.
    #[arg(long, default_value = "from")]
    from: String,

    /// The column with the vertex where it ends.
    #[arg(long, default_value = "to")]
    to: String,

    /// The column with a vertex's id.
    #[arg(long, default_value = "id")]
    id: String,

    /// The largest number of iterations.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    iterations: u32,

    /// End when all ranks together change by less than this part.
    #[arg(long, default_value_t = 1e-9)]
    tolerance: f64,

    /// Print so many vertices of the highest rank.
    #[arg(long, default_value_t = 5)]
    top: usize,

    /// Write `id`, `rank` and `out`, the number of edges from the vertex, to this `.parquet` or `.csv` file.
    #[arg(long)]
    output: Option<PathBuf>,

    /// Fail if the ranks are not those of a sequential program.
    #[arg(long)]
    check: bool,

    /// What to run on.
    #[command(flatten)]
    machine: Machine,
}

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error("--output {}: the name of a table ends with .parquet or .csv", .0.display())]
    Format(PathBuf),
    #[error("vertex {vertex} has rank {found}, and {expected} by a sequential program")]
    Different { vertex: u64, found: u64, expected: u64 },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Input(_) | Self::Format(_) => 2,
            Self::Threads(error) => error.code(),
            Self::Output(error) => error.code(),
            Self::Ikra(error) => example_program::error_code(error),
            Self::Table(_) | Self::Different { .. } => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    example_program::end("tables", run(&options), Failure::code)
}

fn is_parquet(path: &Path) -> Option<bool> {
    let extension = path.extension()?.to_ascii_lowercase();
    if extension == "parquet" { Some(true) } else { (extension == "csv").then_some(false) }
}

fn run(options: &Options) -> Result<(), Failure> {
    if let Some(output) = &options.output
        && is_parquet(output).is_none()
    {
        return Err(Failure::Format(output.clone()));
    }
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let (borders, countries) = (data.join("borders.csv"), data.join("countries.csv"));
    let (edges, vertices) = match &options.input {
        Some(input) => (input, options.vertices.as_ref()),
        None => (&borders, Some(&countries)),
    };
    let names = Names { from: options.from.clone(), to: options.to.clone(), id: options.id.clone() };
    options.machine.threads()?.install(|| {
        let start = Instant::now();
        let mut graph = read(edges, vertices.map(PathBuf::as_path), &names)?;
        let (vertices, edges) = (graph.vertices.len(), graph.edges.len());
        say(&format!(
            "{vertices} vertices and {edges} edges, read in {:.0} ms\n",
            start.elapsed().as_secs_f64() * 1e3
        ))?;

        let start = Instant::now();
        let mut progress = Progress::new("iterations", options.iterations);
        let show = |done| progress.show(done);
        let ranked = rank::rank(&mut graph, options.machine.place(), options.iterations, options.tolerance, show);
        progress.clear();
        let (iterations, change) = ranked?;
        let seconds = start.elapsed().as_secs_f64();
        say(&format!(
            "{iterations} iterations in {:.1} ms; the last changed {change:.1e} of all ranks\n",
            seconds * 1e3
        ))?;
        if options.check {
            check(&graph, iterations)?;
            say("the same ranks as by a sequential program\n")?;
        }
        top(&graph, options.top)?;
        if let Some(output) = &options.output {
            let export = Export::of(&graph).skip(vertex::units).skip(vertex::share).skip(vertex::received);
            match is_parquet(output) {
                Some(true) => export.parquet_of::<Vertex>(output)?,
                _ => export.csv_of::<Vertex>(output)?,
            }
        }
        Ok(())
    })
}

/// Prints the vertices of the highest rank.
fn top(graph: &Graph, count: usize) -> Result<(), Unwritable> {
    let ids = graph.vertices.column(vertex::id);
    let mut ranked: Vec<_> =
        graph.vertices.column(vertex::units).iter().zip(ids).map(|(rank, id)| (Reverse(*rank), *id)).collect();
    ranked.sort_unstable();
    let lines = ranked
        .iter()
        .take(count)
        .map(|(Reverse(units), id)| format!("{id}: {:.6}\n", *units as f64 / tables::model::ALL as f64));
    say(&lines.collect::<String>())
}

/// Compares with a sequential program.
fn check(graph: &Graph, iterations: u32) -> Result<(), Failure> {
    let index = |link: &ikra::Link<Vertex>| link.index();
    let from = graph.edges.column(tables::model::edge::from).iter().map(index);
    let to = graph.edges.column(tables::model::edge::to).iter().map(index);
    let edges: Vec<_> = from.zip(to).collect();
    let expected = sequential::ranks(graph.vertices.len(), &edges, iterations);
    let found = graph.vertices.column(vertex::units);
    match found.iter().zip(&expected).position(|(found, expected)| found != expected) {
        None => Ok(()),
        Some(n) => {
            let vertex = graph.vertices.column(vertex::id)[n];
            Err(Failure::Different { vertex, found: found[n], expected: expected[n] })
        }
    }
}
