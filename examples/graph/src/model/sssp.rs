//! Shortest paths from one vertex over edges with lengths: Bellman and Ford's rounds, in which only vertices work whose
//! distance is new.

use ikra::prelude::*;

/// The distance of vertices that no path has reached.
pub const UNREACHED: u64 = u64::MAX;

/// A vertex.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Vertex {
    /// The length of the shortest path that was found before this round.
    pub distance: u64,
    /// Whether the last round has found it.
    pub is_new: bool,
    /// The length of the shortest path so far. Its minimum is the same in every order.
    #[atomic]
    pub best: u64,
    /// The target vertices of its edges.
    #[inline_array(3)]
    pub neighbours: InnerArray<Link<Vertex>>,
    /// The lengths of these edges.
    #[inline_array(3)]
    pub lengths: InnerArray<u32>,
}

#[soa_methods]
impl Vertex {
    /// Forgets all paths.
    #[kernel]
    pub fn reset(&mut self) {
        self.distance = UNREACHED;
        self.is_new = false;
        self.best.store(UNREACHED);
    }

    /// A vertex with a new distance tells its neighbours.
    #[kernel]
    pub fn relax(&mut self) {
        if self.is_new {
            for (other, length) in self.neighbours.iter().zip(&self.lengths) {
                other.best().min(self.distance + u64::from(length));
            }
        }
    }

    /// Takes the shortest path that it was told. Returns whether it is new.
    #[kernel(reduce(Any))]
    pub fn settle(&mut self) -> bool {
        let best = self.best.load();
        self.is_new = best < self.distance;
        self.distance = best;
        self.is_new
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
    /// Its length.
    pub length: u32,
}

#[soa_methods]
impl Edge {
    /// Tells its end of a path through its start, if that is new.
    #[kernel]
    pub fn relax(&self) {
        if self.from.is_new() {
            self.to.best().min(self.from.distance() + u64::from(self.length));
        }
    }
}

/// The search as a whole: one object.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Search {
    /// Whether the last round has found a shorter path.
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
