//! Connected components, directions ignored: each vertex finds the vertex with the smallest number that it can reach.
//!
//! Vertices form trees, whose edges are the links to parents. Trees grow together along edges of the graph, and become
//! flat, so that few iterations suffice even for long paths (Zhang, Azad and Buluç, "FastSV", 2020). Numbers are combined
//! by their minimum, so the order of threads does not matter.

use ikra::prelude::*;

/// A vertex.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Vertex {
    /// Its parent in the tree: itself, or a vertex with a smaller number.
    pub parent: Link<Vertex>,
    /// The parent's parent, in this iteration.
    pub grand: Link<Vertex>,
    /// The smallest id that this iteration has found for the parent.
    #[atomic]
    pub best: u32,
    /// The vertices at its edges in both directions.
    #[inline_array(3)]
    pub neighbours: InnerArray<Link<Vertex>>,
}

#[soa_methods]
impl Vertex {
    /// Each vertex is a tree.
    #[kernel]
    pub fn start(&mut self) {
        self.parent = self.resolve(self.link());
        self.best.store(self.link().id());
    }

    /// Looks up the parent's parent.
    #[kernel]
    pub fn look(&mut self) {
        self.grand = self.parent.parent();
    }

    /// Hooks itself and its parent to the smallest vertex that is the parent's parent of itself or of a neighbour.
    #[kernel]
    pub fn hook(&mut self) {
        let own = self.grand.link().id();
        let least = self.neighbours.iter().map(|other| other.grand().link().id()).fold(own, u32::min);
        self.best.min(least);
        self.parent.best().min(least);
    }

    /// Hooks itself to its parent's parent, where threads of edges do the rest.
    #[kernel]
    pub fn shorten(&mut self) {
        self.best.min(self.grand.link().id());
    }

    /// Takes the new parent. Returns whether it is another one.
    #[kernel(reduce(Any))]
    pub fn settle(&mut self) -> bool {
        let best = self.best.load();
        let is_new = best != self.parent.link().id();
        if let Some(parent) = Link::<Vertex>::from_id(best) {
            self.parent = self.resolve(parent);
        }
        is_new
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
    /// Hooks both vertices and their parents to the smaller of their parents' parents.
    #[kernel]
    pub fn hook(&self) {
        let least = self.from.grand().link().id().min(self.to.grand().link().id());
        self.from.best().min(least);
        self.to.best().min(least);
        self.from.parent().best().min(least);
        self.to.parent().best().min(least);
    }
}

/// The search as a whole: one object.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Search {
    /// Whether the last iteration has changed a parent.
    pub goes_on: bool,
}

/// The world.
#[soa_world]
pub struct Network {
    /// All vertices.
    pub vertices: Objects<Vertex>,
    /// All edges, if their threads work.
    pub edges: Objects<Edge>,
    /// The search.
    pub searches: Objects<Search>,
}
