//! Breadth-first search over virtual edges and vertices.

use ikra::prelude::*;

/// An arc of the graph.
#[soa_dispatch(Edge, BackEdge)]
pub trait ChiEdge {
    /// Carries the level behind its source's.
    #[kernel]
    fn carry(&mut self) {
        self.carried = self.from.here().saturating_add(1);
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
    pub from: ChiVertexLink,
    /// What it carries.
    pub carried: u32,
}
#[soa_methods]
impl ChiEdge for Edge {}

/// The same edge in the other direction.
#[soa_class]
pub struct BackEdge {
    /// Its source.
    pub from: ChiVertexLink,
    /// What it carries.
    pub carried: u32,
}
#[soa_methods]
impl ChiEdge for BackEdge {}

/// A vertex.
#[soa_dispatch(Vertex, Hub)]
pub trait ChiVertex {
    /// Starts a search at a vertex.
    #[kernel]
    fn start(&mut self, source: ChiVertexLink) {
        self.level = if ChiVertexLink::from(self.link()) == source { 0 } else { u32::MAX };
    }

    /// Takes the least level.
    #[kernel]
    fn gather(&mut self) {
        let mut least = self.level;
        for edge in &self.incoming {
            least = least.min(edge.value());
        }
        self.level = least;
    }

    /// Its level.
    fn here(&self) -> u32 {
        self.level
    }
}

/// A vertex with few arcs.
#[soa_class]
pub struct Vertex {
    /// Its distance from the source.
    pub level: u32,
    /// The arcs that end here.
    #[inline_array(0)]
    pub incoming: InnerArray<ChiEdgeLink>,
}
#[soa_methods]
impl ChiVertex for Vertex {}

/// A vertex with many.
#[soa_class]
pub struct Hub {
    /// Its distance from the source.
    pub level: u32,
    /// The arcs that end here.
    #[inline_array(0)]
    pub incoming: InnerArray<ChiEdgeLink>,
}
#[soa_methods]
impl ChiVertex for Hub {}

/// The graph.
#[soa_world]
pub struct Graph {
    /// The vertices with few arcs.
    pub vertices: Objects<Vertex>,
    /// Those with many.
    pub hubs: Objects<Hub>,
    /// The arcs to older vertices.
    pub edges: Objects<Edge>,
    /// The arcs to newer ones.
    pub back_edges: Objects<BackEdge>,
}
