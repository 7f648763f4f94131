//! PageRank (Brin and Page 1998): the rank of a vertex flows along its edges, an equal share along each. Vertices without
//! edges give theirs to all.

use ikra::{Fixed, prelude::*};

/// The part of the rank that flows along edges.
pub const DAMPING: f64 = 0.85;
/// A sum of ranks in steps of 2⁻⁶⁰: the order of its parts does not matter.
pub type Shares = Fixed<60>;

/// A vertex.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Vertex {
    /// Its rank. The ranks of all vertices add up to 1.
    pub rank: f64,
    /// The part that flows along each of its edges.
    pub share: f64,
    /// The number of its edges.
    pub edges: u32,
    /// The shares that have come along edges, where threads are edges.
    #[atomic]
    pub sum: Shares,
    /// The vertices with an edge to this one.
    #[inline_array(3)]
    pub incoming: InnerArray<Link<Vertex>>,
}

#[soa_methods]
impl Vertex {
    /// Starts with an equal rank.
    #[kernel]
    pub fn start(&mut self, rank: f64) {
        self.rank = rank;
        self.sum.store(Shares::from_bits(0));
    }

    /// Splits the rank.
    #[kernel]
    pub fn split(&mut self) {
        self.share = if self.edges > 0 { self.rank / f64::from(self.edges) } else { 0.0 };
    }

    /// The rank that flows along no edge.
    #[kernel(reduce(Sum))]
    pub fn kept(&self) -> f64 {
        if self.edges > 0 { 0.0 } else { self.rank }
    }

    /// Takes a new rank. Returns by how much it differs.
    fn take(&mut self, rank: f64) -> f64 {
        let change = (rank - self.rank).abs();
        self.rank = rank;
        change
    }

    /// Gathers the shares of others.
    #[kernel(reduce(Max))]
    pub fn gather(&mut self, flow: Ref<Flow>) -> f64 {
        let mut sum = 0.0;
        for other in &self.incoming {
            sum += other.share();
        }
        self.take(flow.base() + DAMPING * sum)
    }

    /// Takes the shares that edges have brought.
    #[kernel(reduce(Max))]
    pub fn receive(&mut self, flow: Ref<Flow>) -> f64 {
        let sum = f64::from(self.sum.swap(Shares::from_bits(0)));
        self.take(flow.base() + DAMPING * sum)
    }
}

/// An edge, for threads that are edges.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: Link<Vertex>,
    /// Where it ends.
    pub to: Link<Vertex>,
}

#[soa_methods]
impl Edge {
    /// Brings a share to its end.
    #[kernel]
    pub fn send(&self) {
        self.to.sum().add(self.from.share().into());
    }
}

/// The flow as a whole: one object.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Flow {
    /// The number of vertices.
    pub vertices: f64,
    /// The rank that flows along no edge.
    pub kept: f64,
    /// The rank that all vertices get.
    pub base: f64,
    /// The largest change of a rank in this iteration.
    pub change: f64,
    /// Whether ranks still change.
    pub goes_on: bool,
}

#[soa_methods]
impl Flow {
    /// Shares what flows along no edge.
    #[kernel]
    pub fn share(&mut self) {
        self.base = (1.0 - DAMPING) / self.vertices + DAMPING * self.kept / self.vertices;
    }

    /// Ends an iteration.
    #[kernel]
    pub fn end(&mut self, tolerance: f64) {
        self.goes_on = self.change >= tolerance / self.vertices;
    }
}

/// The world.
#[soa_world]
pub struct Network {
    /// All vertices.
    pub vertices: Objects<Vertex>,
    /// All edges, if their threads work.
    pub edges: Objects<Edge>,
    /// The flow.
    pub flows: Objects<Flow>,
}
