//! Breadth-first search over virtual edges and vertices.

/// An arc of the graph.
pub trait ChiEdge {
    /// Carries a value from its source.
    fn carry(&mut self, vertices: &[Box<dyn ChiVertex>]);
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
    fn carry(&mut self, vertices: &[Box<dyn ChiVertex>]) {
        self.carried = vertices[self.from].here().saturating_add(1);
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
    fn carry(&mut self, vertices: &[Box<dyn ChiVertex>]) {
        self.carried = vertices[self.from].here().saturating_add(1);
    }
    fn value(&self) -> u32 {
        self.carried
    }
}

/// What vertices have in common.
#[derive(Default)]
pub struct Parts {
    /// Its distance from the source.
    pub level: u32,
    /// The arcs that end here.
    pub incoming: Vec<usize>,
}

/// A vertex.
pub trait ChiVertex {
    /// What it has in common with others.
    fn parts(&self) -> &Parts;
    /// The same, to change it.
    fn parts_mut(&mut self) -> &mut Parts;

    /// Starts.
    fn start(&mut self, is_source: bool) {
        let own = self.parts_mut();
        own.level = if is_source { 0 } else { u32::MAX };
    }

    /// Takes the values of arcs.
    fn gather(&mut self, edges: &[Box<dyn ChiEdge>]) {
        let own = self.parts_mut();
        let mut least = own.level;
        for &edge in &own.incoming {
            least = least.min(edges[edge].value());
        }
        own.level = least;
    }

    /// What its arcs carry away.
    fn here(&self) -> u32 {
        self.parts().level
    }
}

/// A vertex with few arcs.
#[derive(Default)]
pub struct Vertex {
    /// What it has in common with others.
    pub parts: Parts,
}
impl ChiVertex for Vertex {
    fn parts(&self) -> &Parts {
        &self.parts
    }
    fn parts_mut(&mut self) -> &mut Parts {
        &mut self.parts
    }
}

/// A vertex with many.
#[derive(Default)]
pub struct Hub {
    /// What it has in common with others.
    pub parts: Parts,
}
impl ChiVertex for Hub {
    fn parts(&self) -> &Parts {
        &self.parts
    }
    fn parts_mut(&mut self) -> &mut Parts {
        &mut self.parts
    }
}

/// The graph.
#[derive(Default)]
pub struct Graph {
    /// All vertices.
    pub vertices: Vec<Box<dyn ChiVertex>>,
    /// All arcs.
    pub edges: Vec<Box<dyn ChiEdge>>,
}
