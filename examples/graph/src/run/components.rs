//! Connected components.

use ikra::Iteration;
use ikra::prelude::*;

use super::{Iterations, Outcome, Values, link, links, timed};
use crate::options::{Options, Variant};
use graph::Graph;
use graph::model::components::{Edge, Network, Search, Vertex, search, vertex};

/// Finds the components.
pub(super) fn run(graph: &Graph, options: &Options) -> Result<Outcome, ikra::Error> {
    let by_edges = options.variant() == Variant::Edge;
    let round = |step: &mut Iteration<'_, Network>| {
        step.execute(Vertex::look, ())?;
        if by_edges {
            step.execute(Edge::hook, ())?;
            step.execute(Vertex::shorten, ())?;
        } else {
            step.execute(Vertex::hook, ())?;
        }
        step.reduce_into(Vertex::settle, (), Any, link(0), search::goes_on)
    };
    timed(
        options.machine.place(),
        || network(graph, by_edges),
        |sim| {
            sim.execute(Vertex::start, ())?;
            // Without iterations, a loop is prepared.
            sim.repeat_while(link(0), search::goes_on, 0, round).map(drop)
        },
        |sim| {
            let search = link(0);
            let count = sim.repeat_while(search, search::goes_on, u64::MAX, round)?;
            Ok(Iterations { count: count as u32, pulled: 0 })
        },
        |sim| Values::Components(sim.vertices.column(vertex::parent).iter().map(|root| root.index() as u32).collect()),
    )
}

/// The objects of a graph.
fn network(graph: &Graph, by_edges: bool) -> Result<Network, ikra::Error> {
    let mut sim = Network::new();
    sim.searches.push(Search { goes_on: true })?;
    sim.vertices.extend((0..graph.vertices() as u32).map(|vertex| Vertex {
        parent: link(vertex),
        grand: link(vertex),
        best: 0,
        neighbours: InnerArray::new(),
    }))?;
    if by_edges {
        sim.edges.extend(graph.pairs().map(|(from, to)| Edge { from: link(from), to: link(to) }))?;
    } else {
        let both = graph.both_ways();
        sim.vertices.set_arrays(vertex::neighbours, &both.offsets, &links(&both))?;
    }
    Ok(sim)
}
