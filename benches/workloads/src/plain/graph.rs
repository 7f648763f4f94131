//! Programs over graphs. Arcs are in the order of the vertices at their ends, so that a vertex's arcs lie side by side.

use crate::inputs::Graph;

/// Iterates: arcs carry values from their sources, then each vertex gathers them into its own.
fn iterate<T: Copy + Default>(
    graph: &Graph,
    iterations: u32,
    values: &mut [T],
    carry: impl Fn(T) -> T,
    gather: impl Fn(T, &[T]) -> T,
) {
    let mut carried = vec![T::default(); graph.sources.len()];
    for _ in 0..iterations {
        for (carried, &source) in carried.iter_mut().zip(&graph.sources) {
            *carried = carry(values[source as usize]);
        }
        for (value, bounds) in values.iter_mut().zip(graph.offsets.windows(2)) {
            *value = gather(*value, &carried[bounds[0] as usize..bounds[1] as usize]);
        }
    }
}

/// The distance of each vertex from the first.
pub fn bfs(graph: &Graph, iterations: u32) -> Vec<u32> {
    let mut levels = vec![u32::MAX; graph.vertices()];
    levels[0] = 0;
    let least = |level: u32, carried: &[u32]| carried.iter().fold(level, |least, &other| least.min(other));
    iterate(graph, iterations, &mut levels, |level| level.saturating_add(1), least);
    levels
}

/// The least number of a vertex of each vertex's component.
pub fn cc(graph: &Graph, iterations: u32) -> Vec<u32> {
    let mut labels: Vec<u32> = (0..graph.vertices() as u32).collect();
    let least = |label: u32, carried: &[u32]| carried.iter().fold(label, |least, &other| least.min(other));
    iterate(graph, iterations, &mut labels, |label| label, least);
    labels
}

/// The rank of each vertex.
pub fn pr(graph: &Graph, iterations: u32) -> Vec<f32> {
    // A vertex's rank, and the part of it that each arc carries away.
    let mut ranks: Vec<[f32; 2]> =
        graph.offsets.windows(2).map(|bounds| [1.0, 1.0 / (bounds[1] - bounds[0]) as f32]).collect();
    let add_up = |_, carried: &[[f32; 2]]| {
        let rank = 0.15 + 0.85 * carried.iter().fold(0.0, |sum, share| sum + share[1]);
        [rank, rank / carried.len() as f32]
    };
    iterate(graph, iterations, &mut ranks, |rank| rank, add_up);
    ranks.into_iter().map(|rank| rank[0]).collect()
}
