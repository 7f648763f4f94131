//! PageRank.

use example_program::Progress;
use ikra::prelude::*;

use super::{Iterations, Outcome, Values, link, links, timed};
use crate::options::{Options, Variant};
use graph::Graph;
use graph::model::pagerank::{DAMPING, Edge, Network, Shares, Vertex, vertex};

/// Finds the ranks.
pub(super) fn run(graph: &Graph, options: &Options) -> Result<Outcome, ikra::Error> {
    let (by_edges, n) = (options.variant == Variant::Edge, graph.vertices() as f64);
    let has_ends = graph.degrees().any(|degree| degree == 0);
    timed(
        options.machine.place(),
        || network(graph, by_edges),
        |sim| sim.execute(Vertex::start, 1.0 / n),
        |sim| {
            let mut progress = Progress::new("iterations", options.iterations);
            let mut count = 0;
            while count < options.iterations {
                sim.execute(Vertex::split, ())?;
                let kept = if has_ends { sim.execute_and_reduce(Vertex::kept, (), Sum)? } else { 0.0 };
                let base = (1.0 - DAMPING) / n + DAMPING * kept / n;
                let change = if by_edges {
                    sim.execute(Edge::send, ())?;
                    sim.execute_and_reduce(Vertex::receive, base, Max)?
                } else {
                    sim.execute_and_reduce(Vertex::gather, base, Max)?
                };
                count += 1;
                progress.show(count);
                if change < options.tolerance / n {
                    break;
                }
            }
            progress.clear();
            Ok(Iterations { count, pulled: 0 })
        },
        |sim| Values::Ranks(sim.vertices.copy_column(vertex::rank)),
    )
}

/// The objects of a graph.
fn network(graph: &Graph, by_edges: bool) -> Result<Network, ikra::Error> {
    let mut sim = Network::new();
    sim.vertices.extend(graph.degrees().map(|degree| Vertex {
        rank: 0.0,
        share: 0.0,
        edges: degree as u32,
        sum: Shares::from_bits(0),
        incoming: InnerArray::new(),
    }))?;
    if by_edges {
        sim.edges.extend(graph.pairs().map(|(from, to)| Edge { from: link(from), to: link(to) }))?;
    } else {
        let reversed = graph.reversed();
        sim.vertices.set_arrays(vertex::incoming, &reversed.offsets, &links(&reversed))?;
    }
    Ok(sim)
}
