//! PageRank over virtual edges.

use ikra::prelude::*;

/// An arc of the graph.
#[soa_dispatch(Edge, BackEdge)]
pub trait ChiEdge {
    /// Carries its source's share.
    #[kernel]
    fn carry(&mut self) {
        self.carried = self.from.share();
    }
    /// What it carries.
    fn value(&self) -> f32 {
        self.carried
    }
}

/// An arc from a newer vertex to an older one.
#[soa_class]
pub struct Edge {
    /// Its source.
    pub from: Link<Vertex>,
    /// What it carries.
    pub carried: f32,
}
#[soa_methods]
impl ChiEdge for Edge {}

/// The same edge in the other direction.
#[soa_class]
pub struct BackEdge {
    /// Its source.
    pub from: Link<Vertex>,
    /// What it carries.
    pub carried: f32,
}
#[soa_methods]
impl ChiEdge for BackEdge {}

/// A vertex.
#[soa_class]
pub struct Vertex {
    /// Its rank.
    pub rank: f32,
    /// The part of its rank that each arc carries away.
    pub share: f32,
    /// The arcs that end here, as many as start here.
    #[inline_array(0)]
    pub incoming: InnerArray<ChiEdgeLink>,
}

#[soa_methods]
impl Vertex {
    /// Starts with rank 1.
    #[kernel]
    pub fn start(&mut self) {
        self.rank = 1.0;
        self.share = 1.0 / self.incoming.len() as f32;
    }

    /// Adds up the shares of others.
    #[kernel]
    pub fn gather(&mut self) {
        let mut sum = 0.0;
        for edge in &self.incoming {
            sum += edge.value();
        }
        self.rank = 0.15 + 0.85 * sum;
        self.share = self.rank / self.incoming.len() as f32;
    }
}

/// The graph.
#[soa_world]
pub struct Graph {
    /// All vertices.
    pub vertices: Objects<Vertex>,
    /// The arcs to older vertices.
    pub edges: Objects<Edge>,
    /// The arcs to newer ones.
    pub back_edges: Objects<BackEdge>,
}
