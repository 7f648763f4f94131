//! The iterations.

use ikra::prelude::*;

use crate::model::{ALL, Edge, FOLLOWED, Graph, Vertex};

/// What every vertex gets in an iteration: its part of all ranks, and of those whose vertices have no edges.
#[must_use]
pub fn of_all(lost: u64, vertices: u64) -> u64 {
    (ALL / 100 * (100 - FOLLOWED) + lost / 100 * FOLLOWED) / vertices.max(1)
}

/// Ranks the vertices: at most so many iterations, until all ranks together change by less than `tolerance` of all.
/// Returns the number of iterations, and the last change. `show` is called before each.
///
/// # Errors
///
/// Errors of the place.
pub fn rank(
    graph: &mut Graph,
    place: ikra::Place,
    iterations: u32,
    tolerance: f64,
    mut show: impl FnMut(u32),
) -> Result<(u32, f64), ikra::Error> {
    let vertices = graph.vertices.len() as u64;
    if vertices == 0 {
        return Ok((0, 0.0));
    }
    let mut graph = graph.on(place);
    graph.execute(Edge::count, ())?;
    graph.execute(Vertex::start, vertices)?;
    let (mut done, mut change) = (0, f64::INFINITY);
    while done < iterations && change >= tolerance {
        show(done);
        let lost = graph.execute_and_reduce(Vertex::divide, (), Sum)?;
        graph.execute(Edge::pass, ())?;
        let changed = graph.execute_and_reduce(Vertex::collect, of_all(lost, vertices), Sum)?;
        change = changed as f64 / ALL as f64;
        done += 1;
    }
    graph.execute(Vertex::finish, ())?;
    Ok((done, change))
}
