//! Connected components over virtual edges: the least number of a vertex spreads.

use ikra::prelude::*;

/// An arc of the graph.
#[soa_dispatch(Edge, BackEdge)]
pub trait ChiEdge {
    /// Carries its source's label.
    #[kernel]
    fn carry(&mut self) {
        self.carried = self.from.label();
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
    /// The least number found so far of a vertex of its component.
    pub label: u32,
    /// The arcs that end here.
    #[inline_array(0)]
    pub incoming: InnerArray<ChiEdgeLink>,
}

#[soa_methods]
impl Vertex {
    /// Starts with its own number.
    #[kernel]
    pub fn start(&mut self) {
        self.label = self.link().index() as u32;
    }

    /// Takes the least label.
    #[kernel]
    pub fn gather(&mut self) {
        let mut least = self.label;
        for edge in &self.incoming {
            least = least.min(edge.value());
        }
        self.label = least;
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
