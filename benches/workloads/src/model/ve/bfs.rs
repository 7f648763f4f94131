//! Breadth-first search over virtual edges.

use ikra::prelude::*;

/// An arc of the graph.
#[soa_dispatch(Edge, BackEdge)]
pub trait ChiEdge {
    /// Carries the level behind its source's.
    #[kernel]
    fn carry(&mut self) {
        self.carried = self.from.level().saturating_add(1);
    }
    /// What it carries.
    fn value(&self) -> u32 {
        self.carried
    }
}

/// An arc from a newer vertex to an older one.
#[soa_class]
pub struct Edge {
    /// Its source.
    pub from: Link<Vertex>,
    /// What it carries.
    pub carried: u32,
}
#[soa_methods]
impl ChiEdge for Edge {}

/// The same edge in the other direction.
#[soa_class]
pub struct BackEdge {
    /// Its source.
    pub from: Link<Vertex>,
    /// What it carries.
    pub carried: u32,
}
#[soa_methods]
impl ChiEdge for BackEdge {}

/// A vertex.
#[soa_class]
pub struct Vertex {
    /// Its distance from the source.
    pub level: u32,
    /// The arcs that end here.
    #[inline_array(0)]
    pub incoming: InnerArray<ChiEdgeLink>,
}

#[soa_methods]
impl Vertex {
    /// Starts a search at a vertex.
    #[kernel]
    pub fn start(&mut self, source: Link<Vertex>) {
        self.level = if self.link() == source { 0 } else { u32::MAX };
    }

    /// Takes the least level.
    #[kernel]
    pub fn gather(&mut self) {
        let mut least = self.level;
        for edge in &self.incoming {
            least = least.min(edge.value());
        }
        self.level = least;
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
