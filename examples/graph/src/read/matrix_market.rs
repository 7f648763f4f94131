//! Matrix Market's coordinate format: an entry in row `i` and column `j` is an edge from `i` to `j`.

use super::Mistake;
use super::lines::{lines, number, words};
use crate::rows::Graph;

/// The number of vertices that any matrix may have, and the further number per entry. A header is cheap to write, so
/// memory is allocated for existing entries only.
const FEW_VERTICES: usize = 1_000_000;
const VERTICES_OF_ENTRY: usize = 16;

pub(super) fn parse(text: &[u8], undirected: bool) -> Result<Graph, Mistake> {
    let mut rest = lines(text);
    let (line, header) = rest.next().unwrap_or_default();
    let header: Vec<String> = words(header).map(|word| String::from_utf8_lossy(word).to_lowercase()).collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let [_, "matrix", "coordinate", field, symmetry] = header[..] else {
        return Err(Mistake::at(
            line,
            "not a sparse matrix: the header is `%%MatrixMarket matrix coordinate FIELD SYMMETRY`",
        ));
    };
    let values = match field {
        "pattern" => 0,
        "real" | "integer" => 1,
        "complex" => 2,
        other => return Err(Mistake::at(line, format!("no such field: `{other}`"))),
    };
    let symmetric = match symmetry {
        "general" => false,
        "symmetric" | "skew-symmetric" | "hermitian" => true,
        other => return Err(Mistake::at(line, format!("no such symmetry: `{other}`"))),
    };
    let mut rest = rest.filter(|(_, line)| line[0] != b'%');
    let Some((size_line, sizes)) = rest.next() else {
        return Err(Mistake::at(0, "no line with rows, columns and entries"));
    };
    let sizes = words(sizes).map(|word| number(word, size_line)).collect::<Result<Vec<_>, _>>()?;
    let [rows, columns, entries] = sizes[..] else {
        return Err(Mistake::at(size_line, format!("{} values instead of 3: ROWS COLUMNS ENTRIES", sizes.len())));
    };
    if rows != columns {
        return Err(Mistake::at(
            size_line,
            format!("a graph's matrix is square, and this has {rows} rows and {columns} columns"),
        ));
    }
    if rows >= u64::from(u32::MAX) || entries >= u64::from(u32::MAX / 2) {
        return Err(Mistake::at(size_line, format!("{rows} vertices and {entries} edges are too many")));
    }
    if rows == 0 {
        return Err(Mistake::at(size_line, "no vertices"));
    }
    let mut edges = Vec::with_capacity((entries as usize).min(text.len()));
    for (line, entry) in rest {
        let count = words(entry).count();
        if count != 2 + values {
            return Err(Mistake::at(
                line,
                format!("{count} values instead of {}: ROW COLUMN and {values} more", 2 + values),
            ));
        }
        let mut place = [0; 2];
        for (place, word) in place.iter_mut().zip(words(entry)) {
            let index = number(word, line)?;
            if index == 0 || index > rows {
                return Err(Mistake::at(
                    line,
                    format!("{index} is out of range: rows and columns go from 1 to {rows}"),
                ));
            }
            *place = (index - 1) as u32;
        }
        edges.push((place[0], place[1]));
        if edges.len() as u64 > entries {
            return Err(Mistake::at(line, format!("more entries than the {entries} of the header")));
        }
    }
    if (edges.len() as u64) < entries {
        return Err(Mistake::at(0, format!("{} entries instead of the {entries} of the header", edges.len())));
    }
    if rows as usize > FEW_VERTICES.max(VERTICES_OF_ENTRY * edges.len()) {
        return Err(Mistake::at(
            size_line,
            format!("{rows} vertices are too many for {entries} entries: nearly all would have no edge"),
        ));
    }
    if symmetric || undirected {
        super::both_ways(&mut edges);
    }
    // Rows and columns are counted from 1.
    let names = (1..=rows).collect();
    Ok(Graph { names: Some(names), ..Graph::new(rows as usize, &edges) })
}
