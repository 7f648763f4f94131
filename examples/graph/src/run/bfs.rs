//! Breadth-first search.

use ikra::prelude::*;
use ikra::{Iteration, On};

use super::{Iterations, Outcome, Values, link, links, timed};
use crate::options::{Options, Variant};
use graph::Graph;
use graph::model::bfs::{Edge, Network, Search, Vertex, search, vertex};

/// If more than one edge in this many starts in the frontier, the level is pulled. Then fewer vertices remain to look
/// than to be looked at, and each looks at only as many edges as necessary.
const PULL_FROM: u64 = 20;

/// Searches from a vertex.
pub(super) fn run(graph: &Graph, source: u32, options: &Options) -> Result<Outcome, ikra::Error> {
    let (variant, edges) = (options.variant(), graph.edges() as u64);
    // One level, unless it is pulled.
    let level = |step: &mut Iteration<'_, Network>| {
        match variant {
            Variant::Edge => step.execute(Edge::push, link(0))?,
            _ => step.execute(Vertex::push, link(0))?,
        }
        step.execute(Search::deepen, ())
    };
    let frontier = [link(source)].into_iter().collect();
    let search = |sim: &mut On<'_, Network>, most: u64| {
        sim.repeat_over(&frontier, most, |step, work| step.over(work).execute(Vertex::expand, work))
    };
    timed(
        options.machine.place(),
        || network(graph, variant),
        |sim| {
            sim.execute(Vertex::reset, ())?;
            sim.synchronize()?;
            sim.world().get(link::<Vertex>(source)).distance().store(0);
            // Without iterations, a loop is prepared.
            match variant {
                Variant::Worklist => search(sim, 0).map(drop),
                _ => sim.repeat_while(link(0), search::goes_on, 0, level).map(drop),
            }
        },
        |sim| {
            if variant == Variant::Worklist {
                return Ok(Iterations { count: search(sim, u64::MAX)?.0 as u32, pulled: 0 });
            }
            let search = link(0);
            if variant != Variant::Direction {
                // On a GPU, the levels follow each other without the host.
                let count = sim.repeat_while(search, search::goes_on, u64::MAX, level)?;
                return Ok(Iterations { count: count as u32, pulled: 0 });
            }
            let (mut count, mut pulled) = (0, 0);
            while sim.world().get(search).goes_on() {
                let pulls = sim.execute_and_reduce(Vertex::frontier_edges, search, Sum)? > edges / PULL_FROM;
                match pulls {
                    true => sim.execute(Vertex::pull, search)?,
                    false => sim.execute(Vertex::push, search)?,
                }
                sim.execute(Search::deepen, ())?;
                (count, pulled) = (count + 1, pulled + u32::from(pulls));
            }
            Ok(Iterations { count, pulled })
        },
        |sim| Values::Levels(sim.vertices.copy_column(vertex::distance)),
    )
}

/// The objects of a graph: all vertices first, then all their arrays together.
fn network(graph: &Graph, variant: Variant) -> Result<Network, ikra::Error> {
    let mut sim = Network::new();
    sim.searches.push(Search { level: 0, found: false, goes_on: true })?;
    sim.vertices.extend((0..graph.vertices()).map(|_| Vertex::unreached()))?;
    match variant {
        Variant::Edge => {
            sim.edges.extend(graph.pairs().map(|(from, to)| Edge { from: link(from), to: link(to) }))?;
        }
        Variant::Vertex | Variant::Worklist => {
            sim.vertices.set_arrays(vertex::neighbours, &graph.offsets, &links(graph))?;
        }
        Variant::Direction => {
            sim.vertices.set_arrays(vertex::neighbours, &graph.offsets, &links(graph))?;
            let reversed = graph.reversed();
            sim.vertices.set_arrays(vertex::incoming, &reversed.offsets, &links(&reversed))?;
        }
    }
    Ok(sim)
}
