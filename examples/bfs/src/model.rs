//! The vertices of a graph (INNER §3, Fig. 6). Compiled for the host and for the GPU.

use ikra::prelude::*;

/// The distance of vertices that the search has not reached.
pub const UNREACHED: u32 = u32::MAX;

/// A vertex. In a road network four of five have at most three neighbours: these are found in columns, those
/// of the others in the class's arena.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Vertex {
    /// Edges from the source. Others lower it, several at once, all to the same number.
    #[atomic]
    pub distance: u32,
    /// Where edges lead.
    #[inline_array(3)]
    pub neighbours: InnerArray<Link<Vertex>>,
    /// Where edges come from, for the search that pulls.
    #[inline_array(0)]
    pub incoming: InnerArray<Link<Vertex>>,
}

#[soa_methods]
impl Vertex {
    /// A vertex that nothing is known of.
    pub fn unreached() -> Self {
        Self { distance: UNREACHED, neighbours: InnerArray::new(), incoming: InnerArray::new() }
    }

    /// Forgets the last search.
    #[kernel]
    pub fn reset(&mut self) {
        self.distance.store(UNREACHED);
    }

    /// Pushes: a vertex of the frontier, at distance `level`, lowers the distance of its neighbours. Says
    /// whether it reached any.
    //
    // Vertices load distances that others store meanwhile, so Ikra cannot know that the order makes no difference.
    // It makes none: whoever reaches a vertex stores the same distance, `level + 1`; a vertex is of the frontier
    // in every order, because its distance, `level`, is not stored here; and the first to look at a vertex that
    // is farther sees that it is, so that the result is true in every order if it is in one.
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

    /// Pulls: a vertex that is not reached yet looks for one that is at distance `level` among those whose
    /// edges lead to it, and stops at the first.
    //
    // A vertex stores `level + 1` in its own distance, and others look whether it is `level`: it is not, in
    // whatever order they look.
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
