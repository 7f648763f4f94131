//! Command-line options.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use bfs::roads;
use example_program::Machine;

/// How each level is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Variant {
    /// Each vertex of the frontier reaches for its neighbours: best for road networks.
    #[default]
    Frontier,
    /// The same while the frontier is small; while it is large, each vertex that is not reached looks for a
    /// neighbour that is, and stops at the first: best for graphs with hubs, which are reached in a few
    /// levels by most of their edges, and whose hubs would keep one thread busy.
    Direction,
}

/// Finds the distance of every vertex of a graph from one of them, by breadth-first search.
#[derive(Clone, Debug, Default, Parser)]
#[command(version)]
pub(crate) struct Options {
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

    /// The vertex to start from, as the file calls it.
    #[arg(long, default_value_t = 0)]
    pub(crate) source: u64,

    /// Each edge of the file counts in both directions.
    #[arg(long, requires = "graph")]
    pub(crate) undirected: bool,

    /// How each level is found.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) variant: Variant,

    /// What to run on.
    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Fail if the distances are not those of a sequential search with a queue.
    #[arg(long)]
    pub(crate) check: bool,

    /// Write a picture: junctions coloured by distance, or the number of vertices per level.
    #[arg(long)]
    pub(crate) png: Option<PathBuf>,

    /// Write the distances: vertex,distance.
    #[arg(long)]
    pub(crate) csv: Option<PathBuf>,
}
