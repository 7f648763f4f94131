//! A graph, and the rank of each vertex: how often somebody is there who follows edges at random.

use ikra::prelude::*;

/// The rank of all vertices together. Ranks are integers, so that sums do not depend on the order of threads.
pub const ALL: u64 = 1 << 52;

/// In so many of a hundred steps an edge is followed. In the others any vertex is next.
pub const FOLLOWED: u64 = 85;

/// A vertex.
#[soa_class]
pub struct Vertex {
    /// Its name in the tables.
    pub id: u64,
    /// Its part of all ranks.
    pub rank: f64,
    /// The number of edges that start here.
    #[atomic]
    pub out: u32,
    /// The rank as a part of `ALL`.
    pub units: u64,
    /// The part of it that each edge passes on.
    pub share: u64,
    /// The parts that edges to this vertex have passed on.
    #[atomic]
    pub received: u64,
}

/// An edge.
#[soa_class]
pub struct Edge {
    /// The vertex where it starts.
    pub from: Link<Vertex>,
    /// The vertex where it ends.
    pub to: Link<Vertex>,
}

#[soa_methods]
impl Edge {
    /// Counts the edge where it starts.
    #[kernel]
    pub fn count(&self) {
        self.from.out().add(1);
    }

    /// Passes on a part of a rank.
    #[kernel]
    pub fn pass(&self) {
        self.to.received().add(self.from.share());
    }
}

#[soa_methods]
impl Vertex {
    /// Begins with the same rank for all.
    #[kernel]
    pub fn start(&mut self, vertices: u64) {
        self.units = ALL / vertices;
    }

    /// Divides the rank among the edges. Returns the rank of a vertex that has none.
    #[kernel(reduce(Sum))]
    pub fn divide(&mut self) -> u64 {
        let edges = u64::from(self.out.load());
        self.share = self.units.checked_div(edges).unwrap_or(0);
        self.received.store(0);
        if edges == 0 { self.units } else { 0 }
    }

    /// Takes what edges have passed on, and a part of what no edge did. Returns by how much the rank has changed.
    #[kernel(reduce(Sum))]
    pub fn collect(&mut self, of_all: u64) -> u64 {
        let before = self.units;
        self.units = of_all + self.received.load() / 100 * FOLLOWED;
        self.units.abs_diff(before)
    }

    /// Writes down the result.
    #[kernel]
    pub fn finish(&mut self) {
        self.rank = self.units as f64 / ALL as f64;
    }
}

/// The graph.
#[soa_world]
pub struct Graph {
    /// The vertices.
    pub vertices: Objects<Vertex>,
    /// The edges.
    pub edges: Objects<Edge>,
}
