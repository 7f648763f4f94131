//! The searches, on the host's cores or on a GPU.

use std::time::{Duration, Instant};

use ikra::prelude::*;

use crate::options::{Options, Variant};
use bfs::graph::Graph;
use bfs::model::{Network, Vertex, vertex};

/// The result of a search, and its times.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The distance of each vertex.
    pub(crate) levels: Vec<u32>,
    /// Building the objects.
    pub(crate) build: Duration,
    /// From the first kernel to the last answer, without copying the graph to a GPU.
    pub(crate) search: Duration,
    /// Levels that were pulled.
    pub(crate) pulled: u32,
    /// The place that did the work.
    pub(crate) worker: String,
}

/// If more than one edge in this many starts in the frontier, the level is pulled. Then fewer vertices remain to look
/// than to be looked at, and each looks at only as many edges as necessary.
const PULL_FROM: u64 = 20;

/// Searches from a vertex.
pub(crate) fn run(graph: &Graph, source: u32, options: &Options) -> Result<Outcome, ikra::Error> {
    let start = Instant::now();
    let mut sim = network(graph, options.variant)?;
    let build = start.elapsed();
    let mut sim = sim.on(options.machine.place());
    let worker = sim.open()?;
    let source: Link<Vertex> =
        Link::from_index(source as usize).unwrap_or_else(|| unreachable!("a vertex's number is an id"));
    // On a GPU, copies the graph there and starts the device.
    sim.execute(Vertex::reset, ())?;
    sim.synchronize()?;
    sim.world().get(source).distance().store(0);

    let start = Instant::now();
    let mut pulled = 0;
    for level in 0.. {
        let many = options.variant == Variant::Direction
            && sim.execute_and_reduce(Vertex::frontier_edges, level, Sum)? > graph.edges() as u64 / PULL_FROM;
        pulled += u32::from(many);
        let reached = if many {
            sim.execute_and_reduce(Vertex::pull, level, Any)?
        } else {
            sim.execute_and_reduce(Vertex::push, level, Any)?
        };
        if !reached {
            break;
        }
    }
    let search = start.elapsed();
    Ok(Outcome { levels: sim.world().vertices.copy_column(vertex::distance), build, search, pulled, worker })
}

/// The objects of a graph: all vertices first, then all their arrays together.
fn network(graph: &Graph, variant: Variant) -> Result<Network, ikra::Error> {
    let mut sim = Network::new();
    sim.vertices.extend((0..graph.vertices()).map(|_| Vertex::unreached()))?;
    sim.vertices.set_arrays(vertex::neighbours, &graph.offsets, &links(graph))?;
    if variant == Variant::Direction {
        let reversed = graph.reversed();
        sim.vertices.set_arrays(vertex::incoming, &reversed.offsets, &links(&reversed))?;
    }
    Ok(sim)
}

/// The targets of all edges as links.
fn links(graph: &Graph) -> Vec<Link<Vertex>> {
    graph.targets.iter().filter_map(|&target| Link::from_index(target as usize)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use bfs::sequential;

    use super::*;

    fn options(variant: Variant) -> Options {
        Options { variant, ..Options::default() }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
        /// Graphs with loops, duplicates, isolated vertices and several components.
        #[test]
        fn levels_are_those_of_the_queue(
            n in 1..200_usize,
            edges in prop::collection::vec((any::<u32>(), any::<u32>()), 0..600),
            source in any::<u32>(),
        ) {
            let edges: Vec<_> = edges.iter().map(|&(a, b)| (a % n as u32, b % n as u32)).collect();
            let graph = Graph::new(n, &edges);
            let source = source % n as u32;
            let expected = sequential::search(&graph, source);
            for variant in [Variant::Frontier, Variant::Direction] {
                let outcome = run(&graph, source, &options(variant)).unwrap();
                prop_assert_eq!(&outcome.levels, &expected);
            }
        }
    }

    #[test]
    fn a_star_is_pulled() {
        // A hub that reaches all other vertices at once.
        let edges: Vec<_> = (1..10_000).flat_map(|v| [(0, v), (v, 0)]).collect();
        let graph = Graph::new(10_000, &edges);
        let outcome = run(&graph, 5, &options(Variant::Direction)).unwrap();
        assert_eq!(outcome.levels, sequential::search(&graph, 5));
        assert!(outcome.pulled > 0);
        assert_eq!(run(&graph, 5, &options(Variant::Frontier)).unwrap().pulled, 0);
    }
}
