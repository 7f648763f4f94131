//! Graphs from files: SNAP's edge lists and Matrix Market, plain or compressed by gzip.

mod lines;
mod matrix_market;
mod snap;

use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::rows::Graph;

/// The errors of a file.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file cannot be opened, read, or decompressed.
    #[error("{file}: cannot be read: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// The system's error.
        reason: String,
    },
    /// A line is wrong.
    #[error("{file}:{line}: {what}")]
    Malformed {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The error.
        what: String,
    },
    /// The file as a whole is wrong.
    #[error("{file}: {what}")]
    Wrong {
        /// The file.
        file: String,
        /// The error.
        what: String,
    },
    /// The search cannot start at the requested vertex.
    #[error("there is no vertex {vertex}: {range}")]
    NoSource {
        /// The vertex.
        vertex: u64,
        /// The vertices that exist.
        range: String,
    },
}

/// An error in a text, and the line that contains it.
#[derive(Debug, PartialEq)]
pub(crate) struct Mistake {
    /// Counted from 1; 0 if the error is not in a line.
    line: usize,
    what: String,
}

impl Mistake {
    fn at(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

/// Reads a graph; with `undirected`, each edge of an edge list counts in both directions.
///
/// # Errors
///
/// [`InputError`].
pub fn read(path: &Path, undirected: bool) -> Result<Graph, InputError> {
    let file = path.display().to_string();
    let text = bytes(path).map_err(|error| InputError::Unreadable { file: file.clone(), reason: error.to_string() })?;
    parse(&text, undirected).map_err(|Mistake { line, what }| match line {
        0 => InputError::Wrong { file, what },
        _ => InputError::Malformed { file, line, what },
    })
}

/// The limit for decompressed text, as a multiple of the file's size, if the text is larger than [`SMALL`]. Graphs
/// reach 10; a file that is meant to fill the memory reaches 1000.
const MOST_EXPANSION: usize = 100;
const SMALL: usize = 16 << 20;

/// The bytes of a file, decompressed if it is compressed.
fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let text = example_program::read_text(path)?;
    if !text.starts_with(&[0x1f, 0x8b]) {
        return Ok(text);
    }
    let compressed = text;
    let most = SMALL.max(compressed.len().saturating_mul(MOST_EXPANSION));
    let mut text = Vec::new();
    // One more byte shows that the file is too long.
    MultiGzDecoder::new(&compressed[..]).take(most as u64 + 1).read_to_end(&mut text)?;
    if text.len() > most {
        return Err(std::io::Error::other(format!(
            "its text is more than {MOST_EXPANSION} times as long, which no graph should be; if it is one, decompress it first"
        )));
    }
    Ok(text)
}

/// Reads a graph from a text in either format.
fn parse(text: &[u8], undirected: bool) -> Result<Graph, Mistake> {
    if text.starts_with(b"%%MatrixMarket") {
        matrix_market::parse(text, undirected)
    } else {
        snap::parse(text, undirected)
    }
}

/// Adds the reverse of each edge, except for loops.
fn both_ways(edges: &mut Vec<(u32, u32)>) {
    for n in 0..edges.len() {
        let (from, to) = edges[n];
        if from != to {
            edges.push((to, from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake(text: &str) -> String {
        let Mistake { line, what } = parse(text.as_bytes(), false).unwrap_err();
        format!("{line}: {what}")
    }

    #[test]
    fn edge_lists() {
        let graph = parse(b"# two\n# comments\n0 1\n1\t2\r\n\n 2  0 \n", false).unwrap();
        assert_eq!(graph, Graph::new(3, &[(0, 1), (1, 2), (2, 0)]));
        let graph = parse(b"10 30\n30 20", true).unwrap();
        assert_eq!(graph.names, Some(vec![10, 20, 30]));
        assert_eq!((graph.neighbours(0), graph.neighbours(1), graph.neighbours(2)), (&[2][..], &[2][..], &[1, 0][..]));
    }

    #[test]
    fn mistakes_in_edge_lists_name_the_line() {
        assert_eq!(mistake("# a\n0 1\n2\n"), "3: 1 values instead of 2: a line is an edge, FROM TO");
        assert_eq!(mistake("0 1 2\n"), "1: 3 values instead of 2: a line is an edge, FROM TO");
        assert_eq!(mistake("0 1\n\n1 x\n"), "3: \"x\" is not a vertex: vertices are numbers from 0 to 2⁶⁴ − 1");
        assert_eq!(mistake("0 -1\n"), "1: \"-1\" is not a vertex: vertices are numbers from 0 to 2⁶⁴ − 1");
        assert!(mistake("0 99999999999999999999\n").starts_with("1: \"99999999999999999999\" is not a vertex"));
        assert_eq!(mistake("# nothing\n"), "0: no edges; a line is an edge, FROM TO");
    }

    #[test]
    fn matrices() {
        let text = "%%MatrixMarket matrix coordinate pattern general\n% a comment\n3 3 2\n1 2\n3 3\n";
        let graph = parse(text.as_bytes(), false).unwrap();
        assert_eq!((graph.vertices(), graph.neighbours(0), graph.neighbours(2)), (3, &[1][..], &[2][..]));
        assert_eq!((graph.vertex_named(3), graph.vertex_named(0)), (Some(2), None));
        let text = "%%MatrixMarket MATRIX coordinate Real Symmetric\n3 3 2\n2 1 0.5\n3 3 -1e9\n";
        let graph = parse(text.as_bytes(), false).unwrap();
        assert_eq!((graph.neighbours(0), graph.neighbours(1), graph.neighbours(2)), (&[1][..], &[0][..], &[2][..]));
    }

    #[test]
    fn mistakes_in_matrices_name_the_line() {
        let with = |header: &str, rest: &str| mistake(&format!("%%MatrixMarket {header}\n{rest}"));
        let pattern = "matrix coordinate pattern general";
        assert!(with("matrix array real general", "2 2\n1\n").starts_with("1: not a sparse matrix"));
        assert_eq!(with("matrix coordinate odd general", ""), "1: no such field: `odd`");
        assert_eq!(with("matrix coordinate real odd", ""), "1: no such symmetry: `odd`");
        assert_eq!(with(pattern, ""), "0: no line with rows, columns and entries");
        assert_eq!(with(pattern, "3 3\n"), "2: 2 values instead of 3: ROWS COLUMNS ENTRIES");
        assert_eq!(with(pattern, "3 4 1\n"), "2: a graph's matrix is square, and this has 3 rows and 4 columns");
        assert_eq!(with(pattern, "0 0 0\n"), "2: no vertices");
        assert_eq!(with(pattern, "9999999999 9999999999 1\n"), "2: 9999999999 vertices and 1 edges are too many");
        assert_eq!(with(pattern, "3 3 2\n1 2\n1 4\n"), "4: 4 is out of range: rows and columns go from 1 to 3");
        assert_eq!(with(pattern, "3 3 2\n0 2\n"), "3: 0 is out of range: rows and columns go from 1 to 3");
        assert_eq!(with(pattern, "3 3 2\n1 2 7\n"), "3: 3 values instead of 2: ROW COLUMN and 0 more");
        assert_eq!(with(pattern, "3 3 1\n1 2\n1 3\n"), "4: more entries than the 1 of the header");
        let most = "1000001 vertices are too many for 1 entries: nearly all would have no edge";
        assert_eq!(with(pattern, "1000001 1000001 1\n1 2\n"), format!("2: {most}"));
        assert_eq!(with(pattern, "3 3 2\n1 2\n"), "0: 1 entries instead of the 2 of the header");
    }
}
