//! The input: Parquet, CSV, and SNAP's lists of edges.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use ikra::prelude::*;
use ikra::tables::{Import, Source, TableError};

use crate::model::{Edge, Graph, Vertex, edge, vertex};

/// The input cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A table is wrong.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A list of edges is wrong.
    #[error("{path}{}: {reason}", place(*line))]
    Edges {
        /// The file.
        path: String,
        /// The line, from 1 on; 0 for the whole file.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// More vertices or edges than a class can have.
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
}

fn place(line: usize) -> String {
    if line == 0 { String::new() } else { format!(":{line}") }
}

/// The names of a table's columns.
#[derive(Clone, Debug)]
pub struct Names {
    /// The id of the vertex where an edge starts.
    pub from: String,
    /// The id of the vertex where it ends.
    pub to: String,
    /// A vertex's id.
    pub id: String,
}

/// An edge by the ids of its ends.
#[soa_class]
struct NamedEdge {
    from: u64,
    to: u64,
}
#[soa_world]
struct NamedEdges {
    edges: Objects<NamedEdge>,
}

/// The table of a class, by the file's name.
fn source<C: ikra::Class>(path: &Path) -> Source<C> {
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("parquet") => Source::parquet(path),
        _ => Source::csv(path),
    }
}

/// Whether a file is no table, but a list of edges.
fn is_list(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["txt", "gz"].map(OsStr::new).contains(&extension))
}

/// Reads a graph. Without a table of vertices they are the ends of edges, in the order of their ids.
///
/// # Errors
///
/// [`InputError`].
pub fn read(edges: &Path, vertices: Option<&Path>, names: &Names) -> Result<Graph, InputError> {
    if let (Some(vertices), false) = (vertices, is_list(edges)) {
        // Edges name vertices by their key.
        let vertices = fill(source(vertices)).key(&names.id).rename(vertex::id, &names.id);
        let edges = source(edges).rename(edge::from, &names.from).rename(edge::to, &names.to);
        return Ok(Import::new().table(vertices).table(edges).read()?);
    }
    let ends = if is_list(edges) { list(edges)? } else { table(edges, names)? };
    let mut graph = match vertices {
        Some(vertices) => {
            let vertices = fill(source(vertices)).key(&names.id).rename(vertex::id, &names.id);
            Import::<Graph>::new().table(vertices).read()?
        }
        None => Graph::new(),
    };
    if vertices.is_none() {
        let mut ids: Vec<u64> = ends.iter().flat_map(|&(from, to)| [from, to]).collect();
        ids.sort_unstable();
        ids.dedup();
        let new = |id| Vertex { id, rank: 0.0, out: 0, units: 0, share: 0, received: 0 };
        graph.vertices.extend(ids.into_iter().map(new))?;
    }
    let mut links: Vec<_> = graph.vertices.column(vertex::id).iter().copied().zip(graph.vertices.links()).collect();
    links.sort_unstable();
    let link = |id: u64| links.binary_search_by_key(&id, |(id, _)| *id).map(|place| links[place].1);
    let mut rows = Vec::with_capacity(ends.len());
    for (from, to) in ends {
        let (Ok(start), Ok(end)) = (link(from), link(to)) else {
            let reason = format!("edge {from} {to}: an end is no vertex; add it to the table of vertices");
            return Err(InputError::Edges { path: edges.display().to_string(), line: 0, reason });
        };
        rows.push(Edge { from: start, to: end });
    }
    graph.edges.extend(rows)?;
    Ok(graph)
}

/// The fields that no table has.
fn fill(vertices: Source<Vertex>) -> Source<Vertex> {
    vertices
        .fill(vertex::rank, 0.0)
        .fill(vertex::out, 0)
        .fill(vertex::units, 0)
        .fill(vertex::share, 0)
        .fill(vertex::received, 0)
}

/// The ends of edges in a table.
fn table(path: &Path, names: &Names) -> Result<Vec<(u64, u64)>, InputError> {
    let edges = source(path).rename(named_edge::from, &names.from).rename(named_edge::to, &names.to);
    let world: NamedEdges = Import::new().table(edges).read()?;
    let columns = world.edges.column(named_edge::from).iter().zip(world.edges.column(named_edge::to));
    Ok(columns.map(|(from, to)| (*from, *to)).collect())
}

/// The ends of edges in a list as SNAP has them: `FROM TO`, comments after `#`.
fn list(path: &Path) -> Result<Vec<(u64, u64)>, InputError> {
    let error = |line, reason: String| InputError::Edges { path: path.display().to_string(), line, reason };
    let mut text = example_program::read_text(path).map_err(|failure| error(0, failure.to_string()))?;
    if text.starts_with(&[0x1f, 0x8b]) {
        /// The longest text that a file may hold.
        const MOST: u64 = 2 << 30;
        let mut unpacked = Vec::new();
        let unpack = GzDecoder::new(&text[..]).take(MOST + 1).read_to_end(&mut unpacked);
        unpack.map_err(|failure| error(0, format!("not a whole gzip file: {failure}")))?;
        if unpacked.len() as u64 > MOST {
            return Err(error(0, format!("longer than {MOST} bytes when unpacked")));
        }
        text = unpacked;
    }
    let mut edges = Vec::new();
    for (line, words) in text.split(|byte| *byte == b'\n').enumerate() {
        let words = String::from_utf8_lossy(words);
        let mut words = words.split_whitespace().peekable();
        if words.peek().is_none_or(|word| word.starts_with('#')) {
            continue;
        }
        let mut number = || words.next().and_then(|word| word.parse().ok());
        let (Some(from), Some(to), None) = (number(), number(), words.next()) else {
            return Err(error(line + 1, "a line is an edge, FROM TO, of two numbers".to_owned()));
        };
        edges.push((from, to));
    }
    Ok(edges)
}
