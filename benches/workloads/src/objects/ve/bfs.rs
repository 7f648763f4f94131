//! Breadth-first search over virtual edges.

/// An arc of the graph.
pub trait ChiEdge {
    /// Carries a value from its source.
    fn carry(&mut self, vertices: &[Vertex]);
    /// What it carries.
    fn value(&self) -> u32;
}

/// An arc from a newer vertex to an older one.
pub struct Edge {
    /// Its source.
    pub from: usize,
    /// What it carries.
    pub carried: u32,
}
impl ChiEdge for Edge {
    fn carry(&mut self, vertices: &[Vertex]) {
        self.carried = vertices[self.from].level.saturating_add(1);
    }
    fn value(&self) -> u32 {
        self.carried
    }
}

/// The same edge in the other direction.
pub struct BackEdge {
    /// Its source.
    pub from: usize,
    /// What it carries.
    pub carried: u32,
}
impl ChiEdge for BackEdge {
    fn carry(&mut self, vertices: &[Vertex]) {
        self.carried = vertices[self.from].level.saturating_add(1);
    }
    fn value(&self) -> u32 {
        self.carried
    }
}

/// A vertex.
#[derive(Default)]
pub struct Vertex {
    /// Its distance from the source.
    pub level: u32,
    /// The arcs that end here.
    pub incoming: Vec<usize>,
}

impl Vertex {
    /// Starts.
    pub fn start(&mut self, is_source: bool) {
        self.level = if is_source { 0 } else { u32::MAX };
    }

    /// Takes the values of arcs.
    pub fn gather(&mut self, edges: &[Box<dyn ChiEdge>]) {
        let mut least = self.level;
        for &edge in &self.incoming {
            least = least.min(edges[edge].value());
        }
        self.level = least;
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
