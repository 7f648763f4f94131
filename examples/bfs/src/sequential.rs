//! The textbook's search, with a queue: the reference for the other searches.

use std::collections::VecDeque;

use crate::graph::Graph;
pub use crate::model::UNREACHED;

/// The distance of each vertex from the source.
pub fn search(graph: &Graph, source: u32) -> Vec<u32> {
    let mut levels = vec![UNREACHED; graph.vertices()];
    levels[source as usize] = 0;
    let mut queue = VecDeque::from([source]);
    while let Some(vertex) = queue.pop_front() {
        let next = levels[vertex as usize] + 1;
        for &neighbour in graph.neighbours(vertex as usize) {
            let level = &mut levels[neighbour as usize];
            if *level == UNREACHED {
                *level = next;
                queue.push_back(neighbour);
            }
        }
    }
    levels
}
