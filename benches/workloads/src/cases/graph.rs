//! The programs of GraphChi.

use std::sync::Arc;

use ikra::prelude::*;

use super::{Case, Input, Outcome, run};
use crate::inputs::Graph;
use crate::model::{ve, ven};
use crate::{plain, words_checksum};

/// The links of arcs: each is of a class of its own by its direction.
macro_rules! arcs {
    ($world:ident, $program:path, $graph:expr, $vertices:expr, $nothing:expr) => {{
        use $program::{BackEdge, ChiEdgeLink, Edge};
        let mut arcs: Vec<ChiEdgeLink> = Vec::with_capacity($graph.sources.len());
        for vertex in 0..$graph.vertices() {
            for &source in $graph.incoming(vertex) {
                let from = $vertices[source as usize];
                arcs.push(if source as usize > vertex {
                    $world.edges.push(Edge { from, carried: $nothing })?.into()
                } else {
                    $world.back_edges.push(BackEdge { from, carried: $nothing })?.into()
                });
            }
        }
        arcs
    }};
}

/// A program with virtual edges.
macro_rules! with_edges {
    ($name:literal, $graph:expr, $iterations:expr, $program:ident, $field:ident, { $($init:tt)* }, $nothing:expr, $start:expr) => {{
        let (graph, iterations) = (Arc::clone($graph), $iterations);
        let input = Input::Graph(Arc::clone(&graph), iterations, stringify!($program), false);
        let texts = Some([include_str!(concat!("../model/ve/", stringify!($program), ".rs")), include_str!(concat!("../objects/ve/", stringify!($program), ".rs"))]);
        let objects = graph.vertices() + graph.sources.len();
        let ikra = move |place| {
            use ve::$program::{ChiEdge, Graph, Vertex, vertex};
            let make = || {
                let mut world = Graph::new();
                let new = (0..graph.vertices()).map(|_| Vertex { $($init)*, incoming: InnerArray::new() });
                let vertices: Vec<Link<Vertex>> = world.vertices.extend(new)?.collect();
                let arcs = arcs!(world, ve::$program, graph, vertices, $nothing);
                for (bounds, &link) in graph.offsets.windows(2).zip(&vertices) {
                    world.vertices.set_array(vertex::incoming, link, &arcs[bounds[0] as usize..bounds[1] as usize])?;
                }
                Ok(world)
            };
            let first = |_: &Graph| Link::<Vertex>::from_index(0).expect("a vertex");
            let start = |world: &mut Graph| {
                let arguments = $start(first(world));
                world.on(place).execute(Vertex::start, arguments)
            };
            let steps = |world: &mut Graph, iterations| {
                (0..iterations).try_for_each(|_| {
                    world.on(place).execute(ChiEdge::carry, ())?;
                    world.on(place).execute(Vertex::gather, ())
                })
            };
            let warm_up = |world: &mut Graph| {
                start(world)?;
                steps(world, 1)?;
                start(world)
            };
            let (world, [making, running]) = run(place, make, warm_up, |world| steps(world, iterations))?;
            let values = world.vertices.copy_column(vertex::$field);
            Ok(Outcome { making, running, checksum: words_checksum(values.into_iter().map(Word::word)) })
        };
        Case { name: $name, objects, input, texts, ikra: Box::new(ikra) }
    }};
}

/// A program with virtual edges and vertices.
macro_rules! with_vertices {
    ($name:literal, $graph:expr, $iterations:expr, $program:ident, $field:ident, |$number:ident| { $($init:tt)* }, $nothing:expr, $start:expr) => {{
        let (graph, iterations) = (Arc::clone($graph), $iterations);
        let input = Input::Graph(Arc::clone(&graph), iterations, stringify!($program), true);
        let texts = Some([include_str!(concat!("../model/ven/", stringify!($program), ".rs")), include_str!(concat!("../objects/ven/", stringify!($program), ".rs"))]);
        let objects = graph.vertices() + graph.sources.len();
        let ikra = move |place| {
            use ven::$program::{ChiEdge, ChiVertex, ChiVertexIs, ChiVertexLink, Graph, Hub, Vertex, hub, vertex};
            let make = || {
                let mut world = Graph::new();
                let mut vertices: Vec<ChiVertexLink> = Vec::with_capacity(graph.vertices());
                for $number in 0..graph.vertices() {
                    vertices.push(if graph.is_hub($number) {
                        world.hubs.push(Hub { $($init)*, incoming: InnerArray::new() })?.into()
                    } else {
                        world.vertices.push(Vertex { $($init)*, incoming: InnerArray::new() })?.into()
                    });
                }
                let arcs = arcs!(world, ven::$program, graph, vertices, $nothing);
                for (bounds, link) in graph.offsets.windows(2).zip(&vertices) {
                    let arcs = &arcs[bounds[0] as usize..bounds[1] as usize];
                    match link.class() {
                        ChiVertexIs::Vertex(link) => world.vertices.set_array(vertex::incoming, link, arcs)?,
                        ChiVertexIs::Hub(link) => world.hubs.set_array(hub::incoming, link, arcs)?,
                    }
                }
                Ok(world)
            };
            let first = if graph.is_hub(0) {
                ChiVertexLink::from(Link::<Hub>::from_index(0).expect("a vertex"))
            } else {
                ChiVertexLink::from(Link::<Vertex>::from_index(0).expect("a vertex"))
            };
            let start = |world: &mut Graph| {
                let arguments = $start(first);
                world.on(place).execute(ChiVertex::start, arguments)
            };
            let steps = |world: &mut Graph, iterations| {
                (0..iterations).try_for_each(|_| {
                    world.on(place).execute(ChiEdge::carry, ())?;
                    world.on(place).execute(ChiVertex::gather, ())
                })
            };
            let warm_up = |world: &mut Graph| {
                start(world)?;
                steps(world, 1)?;
                start(world)
            };
            let (world, [making, running]) = run(place, make, warm_up, |world| steps(world, iterations))?;
            let few = world.vertices.copy_column(vertex::$field);
            let many = world.hubs.copy_column(hub::$field);
            let (mut few, mut many) = (few.into_iter(), many.into_iter());
            let values = (0..graph.vertices()).map(|vertex| if graph.is_hub(vertex) { many.next() } else { few.next() });
            Ok(Outcome { making, running, checksum: words_checksum(values.flatten().map(Word::word)) })
        };
        Case { name: $name, objects, input, texts, ikra: Box::new(ikra) }
    }};
}

/// A value as a word.
trait Word {
    /// Its bits.
    fn word(self) -> u32;
}
impl Word for u32 {
    fn word(self) -> u32 {
        self
    }
}
impl Word for f32 {
    fn word(self) -> u32 {
        self.to_bits()
    }
}

/// Nothing to start with.
fn nothing<T>(_: T) {}

/// What to start with.
fn same<T>(argument: T) -> T {
    argument
}

pub(super) fn cases(graph: &Arc<Graph>, iterations: u32) -> Vec<Case> {
    vec![
        with_edges!("vE BFS", graph, iterations, bfs, level, { level: u32::MAX }, u32::MAX, same),
        with_edges!("vE CC", graph, iterations, cc, label, { label: 0 }, 0, nothing),
        with_edges!("vE PR", graph, iterations, pr, rank, { rank: 1.0, share: 0.0 }, 0.0, nothing),
        with_vertices!("vEN BFS", graph, iterations, bfs, level, |number| { level: u32::MAX }, u32::MAX, same),
        with_vertices!("vEN CC", graph, iterations, cc, label, |number| { number: number as u32, label: 0 }, 0, nothing),
        with_vertices!("vEN PR", graph, iterations, pr, rank, |number| { rank: 1.0, share: 0.0 }, 0.0, nothing),
    ]
}

/// By hand. A programmer who writes columns has no use for classes of edges.
pub(super) fn plain(graph: &Graph, iterations: u32, program: &str) -> u64 {
    match program {
        "bfs" => words_checksum(plain::graph::bfs(graph, iterations)),
        "cc" => words_checksum(plain::graph::cc(graph, iterations)),
        _ => words_checksum(plain::graph::pr(graph, iterations).into_iter().map(Word::word)),
    }
}
