//! Shortest paths from one vertex.

use ikra::Iteration;
use ikra::prelude::*;

use super::{Iterations, Outcome, Values, link, links, timed};
use crate::options::{Options, Variant};
use graph::Graph;
use graph::model::sssp::{Edge, Network, Search, UNREACHED, Vertex, search, vertex};

/// Finds the shortest paths from a vertex.
pub(super) fn run(graph: &Graph, source: u32, options: &Options) -> Result<Outcome, ikra::Error> {
    let by_edges = options.variant() == Variant::Edge;
    let round = |step: &mut Iteration<'_, Network>| {
        if by_edges {
            step.execute(Edge::relax, ())?;
        } else {
            step.execute(Vertex::relax, ())?;
        }
        step.reduce_into(Vertex::settle, (), Any, link(0), search::goes_on)
    };
    timed(
        options.machine.place(),
        || network(graph, by_edges),
        |sim| {
            sim.execute(Vertex::reset, ())?;
            sim.synchronize()?;
            sim.world().get(link::<Vertex>(source)).best().store(0);
            // Without iterations, a loop is prepared.
            sim.repeat_while(link(0), search::goes_on, 0, round).map(drop)
        },
        |sim| {
            let search = link(0);
            sim.reduce_into(Vertex::settle, (), Any, search, search::goes_on)?;
            let count = sim.repeat_while(search, search::goes_on, u64::MAX, round)?;
            Ok(Iterations { count: count as u32, pulled: 0 })
        },
        |sim| Values::Distances(sim.vertices.copy_column(vertex::distance)),
    )
}

/// The objects of a graph.
fn network(graph: &Graph, by_edges: bool) -> Result<Network, ikra::Error> {
    let mut sim = Network::new();
    sim.searches.push(Search { goes_on: true })?;
    sim.vertices.extend((0..graph.vertices()).map(|_| Vertex {
        distance: UNREACHED,
        is_new: false,
        best: UNREACHED,
        neighbours: InnerArray::new(),
        lengths: InnerArray::new(),
    }))?;
    let lengths = graph.lengths();
    if by_edges {
        let edges = graph.pairs().zip(lengths);
        sim.edges.extend(edges.map(|((from, to), length)| Edge { from: link(from), to: link(to), length }))?;
    } else {
        sim.vertices.set_arrays(vertex::neighbours, &graph.offsets, &links(graph))?;
        sim.vertices.set_arrays(vertex::lengths, &graph.offsets, &lengths)?;
    }
    Ok(sim)
}
