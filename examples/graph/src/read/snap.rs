//! SNAP's edge lists: two numbers per line, comments after `#`.

use super::Mistake;
use super::lines::{lines, number, words};
use crate::rows::Graph;

pub(super) fn parse(text: &[u8], undirected: bool) -> Result<Graph, Mistake> {
    let mut named: Vec<(u64, u64)> = Vec::new();
    for (line, text) in lines(text).filter(|(_, text)| text[0] != b'#') {
        let mut words = words(text);
        let (Some(from), Some(to), None) = (words.next(), words.next(), words.next()) else {
            let count = super::lines::words(text).count();
            return Err(Mistake::at(line, format!("{count} values instead of 2: a line is an edge, FROM TO")));
        };
        named.push((number(from, line)?, number(to, line)?));
    }
    if named.is_empty() {
        return Err(Mistake::at(0, "no edges; a line is an edge, FROM TO"));
    }
    if named.len() >= (u32::MAX / 2) as usize {
        return Err(Mistake::at(0, format!("{} edges are too many: at most 2³¹ − 1", named.len())));
    }
    let mut names: Vec<u64> = named.iter().flat_map(|&(from, to)| [from, to]).collect();
    names.sort_unstable();
    names.dedup();
    let place = |name: u64| names.binary_search(&name).unwrap_or(0) as u32;
    // Numbers without gaps are used as the vertices' own numbers.
    let dense = names.last() == Some(&(names.len() as u64 - 1));
    let mut edges: Vec<(u32, u32)> = if dense {
        named.iter().map(|&(from, to)| (from as u32, to as u32)).collect()
    } else {
        named.iter().map(|&(from, to)| (place(from), place(to))).collect()
    };
    if undirected {
        super::both_ways(&mut edges);
    }
    let graph = Graph::new(names.len(), &edges);
    Ok(Graph { names: (!dense).then_some(names), ..graph })
}
