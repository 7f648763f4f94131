//! Command-line options.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use example_program::Machine;
use graph::roads;

/// The question about the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// The distance of each vertex from the source in edges: breadth-first search.
    #[default]
    Bfs,
    /// Which vertices are connected, directions ignored.
    Components,
    /// How likely one is at a vertex after a long walk along random edges.
    Pagerank,
    /// The length of the shortest path from the source to each vertex. Edges are as long as their vertices are apart, or
    /// have a made-up length from 1 to 255 if the graph has no positions.
    Sssp,
}

/// The objects whose threads do the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Variant {
    /// Vertices, each of which goes through its edges.
    Vertex,
    /// Edges: a hub with many of them keeps no thread busy for long.
    Edge,
    /// Vertices, for `bfs`; while the frontier is large, each vertex that is not reached looks for a neighbour that is,
    /// and stops at the first: best for graphs with hubs, which are reached in a few levels by most of their edges.
    Direction,
    /// Vertices that the last iteration has reached, for `bfs`: each level costs as much as it reaches, so
    /// that thousands of small levels, as in road networks, take little time.
    Worklist,
}

/// Answers questions about a graph of objects: distances, components, ranks, shortest paths.
#[derive(Clone, Debug, Default, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// The question.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) algorithm: Algorithm,

    /// The graph: an edge list as SNAP has them (`# comment` lines, FROM TO), or Matrix Market; either may be
    /// compressed by gzip. By default, a made-up road network.
    #[arg(long)]
    pub(crate) graph: Option<PathBuf>,

    /// Junctions of the made-up road network.
    #[arg(long, default_value_t = roads::VERTICES, value_parser = clap::value_parser!(u32).range(1..100_000_000), conflicts_with = "graph")]
    pub(crate) vertices: u32,

    /// Seed of the made-up road network.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// The vertex to start from, as the file calls it: for `bfs` and `sssp`.
    #[arg(long, default_value_t = 0)]
    pub(crate) source: u64,

    /// Each edge of the file counts in both directions.
    #[arg(long, requires = "graph")]
    pub(crate) undirected: bool,

    /// The objects whose threads do the work. By default the worklist for `bfs`, and vertices for the others.
    #[arg(long, value_enum)]
    pub(crate) variant: Option<Variant>,

    /// For `pagerank`: the most iterations.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) iterations: u32,

    /// For `pagerank`: ends when no rank changes by more than this part of the mean rank.
    #[arg(long, default_value_t = 1e-6)]
    pub(crate) tolerance: f64,

    /// What to run on.
    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Fail if the result is not that of a sequential algorithm.
    #[arg(long)]
    pub(crate) check: bool,

    /// Write a picture: a map of the results, or how many vertices have each result.
    #[arg(long)]
    pub(crate) png: Option<PathBuf>,

    /// Write the results: a line per vertex.
    #[arg(long)]
    pub(crate) csv: Option<PathBuf>,
}

impl Options {
    /// The objects whose threads do the work.
    pub(crate) fn variant(&self) -> Variant {
        self.variant.unwrap_or(match self.algorithm {
            Algorithm::Bfs => Variant::Worklist,
            Algorithm::Components | Algorithm::Pagerank | Algorithm::Sssp => Variant::Vertex,
        })
    }
}
