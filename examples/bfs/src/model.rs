//! The vertices of a graph (INNER §3, Fig. 6). Compiled for the host and for the GPU.

use ikra::prelude::*;

/// The distance of vertices that the search has not reached.
pub const UNREACHED: u32 = u32::MAX;

/// A vertex. In a road network four of five have at most three neighbours: their neighbours are in columns.
/// The other vertices store theirs in the class's arena.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Vertex {
    /// Distance from the source. Several vertices may lower it at once, all to the same number.
    #[atomic]
    pub distance: u32,
    /// The target vertices of its edges.
    #[inline_array(3)]
    pub neighbours: InnerArray<Link<Vertex>>,
    /// The vertices with an edge to this one, for the search that pulls.
    #[inline_array(0)]
    pub incoming: InnerArray<Link<Vertex>>,
}

#[soa_methods]
impl Vertex {
    /// A vertex without a distance or edges.
    pub fn unreached() -> Self {
        Self { distance: UNREACHED, neighbours: InnerArray::new(), incoming: InnerArray::new() }
    }

    /// Resets the last search.
    #[kernel]
    pub fn reset(&mut self) {
        self.distance.store(UNREACHED);
    }

    /// Pushes: a vertex of the frontier, at distance `level`, lowers the distance of its neighbours. Returns
    /// whether it reached any vertex.
    //
    // Vertices load distances that others store meanwhile, so Ikra cannot know that the result does not depend on
    // the order. It does not: all vertices that reach a vertex store the same distance, `level + 1`. The frontier is
    // the same in every order, because the kernel does not store `level`. And the first vertex that looks at a farther
    // one sees that it is farther, so the result is `true` in every order or in none.
    #[kernel(reduce(Any), unordered(distance))]
    pub fn push(&self, level: u32) -> bool {
        let mut reached = false;
        if self.distance.load() == level {
            for other in &self.neighbours {
                let distance = other.distance();
                if distance.load() > level + 1 {
                    distance.store(level + 1);
                    reached = true;
                }
            }
        }
        reached
    }

    /// Pulls: an unreached vertex looks for a vertex at distance `level` among the sources of its incoming edges, and
    /// stops at the first.
    //
    // A vertex stores `level + 1` in its own distance, and others compare that distance with `level`: they differ, in
    // any order.
    #[kernel(reduce(Any), unordered(distance))]
    pub fn pull(&self, level: u32) -> bool {
        let found =
            self.distance.load() == UNREACHED && self.incoming.iter().any(|other| other.distance().load() == level);
        if found {
            self.distance.store(level + 1);
        }
        found
    }

    /// The edges out of the frontier.
    #[kernel(reduce(Sum))]
    pub fn frontier_edges(&self, level: u32) -> u64 {
        if self.distance.load() == level { self.neighbours.len() as u64 } else { 0 }
    }
}

/// The world.
#[soa_world]
pub struct Network {
    /// All vertices.
    pub vertices: Objects<Vertex>,
}
