//! PageRank over virtual edges.

/// An arc of the graph.
pub trait ChiEdge {
    /// Carries a value from its source.
    fn carry(&mut self, vertices: &[Vertex]);
    /// What it carries.
    fn value(&self) -> f32;
}

/// An arc from a newer vertex to an older one.
pub struct Edge {
    /// Its source.
    pub from: usize,
    /// What it carries.
    pub carried: f32,
}
impl ChiEdge for Edge {
    fn carry(&mut self, vertices: &[Vertex]) {
        self.carried = vertices[self.from].share;
    }
    fn value(&self) -> f32 {
        self.carried
    }
}

/// The same edge in the other direction.
pub struct BackEdge {
    /// Its source.
    pub from: usize,
    /// What it carries.
    pub carried: f32,
}
impl ChiEdge for BackEdge {
    fn carry(&mut self, vertices: &[Vertex]) {
        self.carried = vertices[self.from].share;
    }
    fn value(&self) -> f32 {
        self.carried
    }
}

/// A vertex.
#[derive(Default)]
pub struct Vertex {
    /// Its rank.
    pub rank: f32,
    /// The part of its rank that each arc carries away.
    pub share: f32,
    /// The arcs that end here.
    pub incoming: Vec<usize>,
}

impl Vertex {
    /// Starts.
    pub fn start(&mut self) {
        self.rank = 1.0;
        self.share = 1.0 / self.incoming.len() as f32;
    }

    /// Takes the values of arcs.
    pub fn gather(&mut self, edges: &[Box<dyn ChiEdge>]) {
        let mut sum = 0.0;
        for &edge in &self.incoming {
            sum += edges[edge].value();
        }
        self.rank = 0.15 + 0.85 * sum;
        self.share = self.rank / self.incoming.len() as f32;
    }
}

/// The graph.
#[derive(Default)]
pub struct Graph {
    /// All vertices.
    pub vertices: Vec<Vertex>,
    /// All arcs.
    pub edges: Vec<Box<dyn ChiEdge>>,
}
