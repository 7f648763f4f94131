//! Connected components over virtual edges and vertices: the least number of a vertex spreads.

use ikra::prelude::*;

/// An arc of the graph.
#[soa_dispatch(Edge, BackEdge)]
pub trait ChiEdge {
    /// Carries its source's label.
    #[kernel]
    fn carry(&mut self) {
        self.carried = self.from.own_label();
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
    /// Starts with its own number.
    #[kernel]
    fn start(&mut self) {
        self.label = self.number;
    }

    /// Takes the least label.
    #[kernel]
    fn gather(&mut self) {
        let mut least = self.label;
        for edge in &self.incoming {
            least = least.min(edge.value());
        }
        self.label = least;
    }

    /// Its label.
    fn own_label(&self) -> u32 {
        self.label
    }
}

/// A vertex with few arcs.
#[soa_class]
pub struct Vertex {
    /// Its number among all vertices.
    pub number: u32,
    /// The least number found so far of a vertex of its component.
    pub label: u32,
    /// The arcs that end here.
    #[inline_array(0)]
    pub incoming: InnerArray<ChiEdgeLink>,
}
#[soa_methods]
impl ChiVertex for Vertex {}

/// A vertex with many.
#[soa_class]
pub struct Hub {
    /// Its number among all vertices.
    pub number: u32,
    /// The least number found so far of a vertex of its component.
    pub label: u32,
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
