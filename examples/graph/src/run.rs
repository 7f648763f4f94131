//! The algorithms, on the host's cores or on a GPU.

mod bfs;
mod components;
mod pagerank;
mod sssp;

use std::time::{Duration, Instant};

use ikra::prelude::*;
use ikra::{Class, On, Place};

use crate::options::{Algorithm, Options};
use graph::Graph;

/// The result for each vertex.
#[derive(Debug)]
pub(crate) enum Values {
    /// Distances in edges.
    Levels(Vec<u32>),
    /// The smallest vertex of each component.
    Components(Vec<u32>),
    /// Ranks.
    Ranks(Vec<f64>),
    /// Lengths of shortest paths.
    Distances(Vec<u64>),
}

/// The result of an algorithm, and its times.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) values: Values,
    /// Building the objects.
    pub(crate) build: Duration,
    /// From the first kernel to the last answer, without copying the graph to a GPU.
    pub(crate) time: Duration,
    /// Levels, rounds or iterations.
    pub(crate) iterations: u32,
    /// For the search: the levels that were pulled.
    pub(crate) pulled: u32,
    /// The place that did the work.
    pub(crate) worker: String,
    /// On a GPU: how the loops ran.
    pub(crate) loops: Vec<String>,
}

/// Runs the chosen algorithm.
pub(crate) fn run(graph: &Graph, source: u32, options: &Options) -> Result<Outcome, ikra::Error> {
    match options.algorithm {
        Algorithm::Bfs => bfs::run(graph, source, options),
        Algorithm::Components => components::run(graph, options),
        Algorithm::Pagerank => pagerank::run(graph, options),
        Algorithm::Sssp => sssp::run(graph, source, options),
    }
}

/// The iterations of a run.
struct Iterations {
    count: u32,
    pulled: u32,
}

/// Builds a world, prepares it, which copies it to a GPU, and times the iterations. `values` reads the result.
fn timed<W: World>(
    place: Place,
    build: impl FnOnce() -> Result<W, ikra::Error>,
    prepare: impl FnOnce(&mut On<'_, W>) -> Result<(), ikra::Error>,
    iterate: impl FnOnce(&mut On<'_, W>) -> Result<Iterations, ikra::Error>,
    values: impl FnOnce(&mut W) -> Values,
) -> Result<Outcome, ikra::Error> {
    let start = Instant::now();
    let mut sim = build()?;
    let build = start.elapsed();
    let mut sim = sim.on(place);
    let worker = sim.open()?;
    prepare(&mut sim)?;
    sim.synchronize()?;
    let start = Instant::now();
    let Iterations { count, pulled } = iterate(&mut sim)?;
    sim.synchronize()?;
    let time = start.elapsed();
    let is_on_gpu = matches!(place, Place::Gpu(_));
    let loops = if is_on_gpu { sim.world().cuda().loops()? } else { Vec::new() };
    let loops = loops.iter().map(ToString::to_string).collect();
    Ok(Outcome { values: values(sim.world()), build, time, iterations: count, pulled, worker, loops })
}

/// The link to a vertex.
fn link<C: Class>(vertex: u32) -> Link<C> {
    Link::from_index(vertex as usize).unwrap_or_else(|| unreachable!("a vertex's number is an id"))
}

/// The targets of all edges as links.
fn links<C: Class>(graph: &Graph) -> Vec<Link<C>> {
    graph.targets.iter().map(|&target| link(target)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::options::Variant;
    use graph::sequential;

    fn outcome(graph: &Graph, source: u32, algorithm: Algorithm, variant: Variant) -> Outcome {
        let options = Options { algorithm, variant: Some(variant), iterations: 20, ..Options::default() };
        run(graph, source, &options).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
        /// Graphs with loops, duplicates, isolated vertices and several components.
        #[test]
        fn results_are_those_of_the_sequential_algorithms(
            n in 1..200_usize,
            edges in prop::collection::vec((any::<u32>(), any::<u32>()), 0..600),
            source in any::<u32>(),
        ) {
            let edges: Vec<_> = edges.iter().map(|&(a, b)| (a % n as u32, b % n as u32)).collect();
            let graph = Graph::new(n, &edges);
            let source = source % n as u32;
            for variant in [Variant::Vertex, Variant::Edge, Variant::Direction, Variant::Worklist] {
                let Values::Levels(levels) = outcome(&graph, source, Algorithm::Bfs, variant).values else { panic!() };
                prop_assert_eq!(levels, sequential::search(&graph, source));
            }
            for variant in [Variant::Vertex, Variant::Edge] {
                let of = |algorithm| outcome(&graph, source, algorithm, variant);
                let Values::Components(components) = of(Algorithm::Components).values else { panic!() };
                prop_assert_eq!(components, sequential::components(&graph));
                let Values::Distances(distances) = of(Algorithm::Sssp).values else { panic!() };
                prop_assert_eq!(distances, sequential::shortest(&graph, &graph.lengths(), source));
                let Outcome { values: Values::Ranks(ranks), iterations, .. } = of(Algorithm::Pagerank) else { panic!() };
                let expected = sequential::ranks(&graph, iterations);
                prop_assert!(ranks.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{ranks:?} {expected:?}");
                prop_assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_star_is_pulled() {
        // A hub that reaches all other vertices at once.
        let edges: Vec<_> = (1..10_000).flat_map(|v| [(0, v), (v, 0)]).collect();
        let graph = Graph::new(10_000, &edges);
        assert!(outcome(&graph, 5, Algorithm::Bfs, Variant::Direction).pulled > 0);
        assert_eq!(outcome(&graph, 5, Algorithm::Bfs, Variant::Vertex).pulled, 0);
    }

    #[test]
    fn long_paths_have_few_iterations() {
        let edges: Vec<_> = (1..5000).map(|v| (v - 1, v)).collect();
        let graph = Graph::new(5000, &edges);
        for variant in [Variant::Vertex, Variant::Edge] {
            let outcome = outcome(&graph, 0, Algorithm::Components, variant);
            assert!(outcome.iterations < 20, "{} iterations", outcome.iterations);
        }
    }
}
