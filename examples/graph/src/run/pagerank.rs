//! PageRank.

use ikra::Iteration;
use ikra::prelude::*;

use super::{Iterations, Outcome, Values, link, links, timed};
use crate::options::{Options, Variant};
use graph::Graph;
use graph::model::pagerank::{Edge, Flow, Network, Shares, Vertex, flow, vertex};

/// Finds the ranks.
pub(super) fn run(graph: &Graph, options: &Options) -> Result<Outcome, ikra::Error> {
    let (by_edges, tolerance) = (options.variant() == Variant::Edge, options.tolerance);
    let has_ends = graph.degrees().any(|degree| degree == 0);
    let flow = link(0);
    let iteration = |step: &mut Iteration<'_, Network>| {
        step.execute(Vertex::split, ())?;
        if has_ends {
            step.reduce_into(Vertex::kept, (), Sum, flow, flow::kept)?;
        }
        step.execute(Flow::share, ())?;
        if by_edges {
            step.execute(Edge::send, ())?;
            step.reduce_into(Vertex::receive, flow, Max, flow, flow::change)?;
        } else {
            step.reduce_into(Vertex::gather, flow, Max, flow, flow::change)?;
        }
        step.execute(Flow::end, tolerance)
    };
    timed(
        options.machine.place(),
        || network(graph, by_edges),
        |sim| sim.execute(Vertex::start, 1.0 / graph.vertices() as f64),
        |sim| {
            let count = sim.repeat_while(flow, flow::goes_on, options.iterations.into(), iteration)?;
            Ok(Iterations { count: count as u32, pulled: 0 })
        },
        |sim| Values::Ranks(sim.vertices.copy_column(vertex::rank)),
    )
}

/// The objects of a graph.
fn network(graph: &Graph, by_edges: bool) -> Result<Network, ikra::Error> {
    let mut sim = Network::new();
    let vertices = graph.vertices() as f64;
    sim.flows.push(Flow { vertices, kept: 0.0, base: 0.0, change: 0.0, goes_on: true })?;
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
