//! Breadth-first search (INNER §3, Fig. 6).

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

    /// Pushes: a vertex of the frontier, at the search's level, lowers the distance of its neighbours.
    //
    // Vertices load distances that others store meanwhile, so Ikra cannot know that the result does not depend on
    // the order. It does not: all vertices that reach a vertex store the same distance, one more than the level. The
    // frontier is the same in every order, because the kernel does not store the level. And the first vertex that looks
    // at a farther one sees that it is farther, so something is found in every order or in none.
    #[kernel(unordered(distance))]
    pub fn push(&self, search: Ref<Search>) {
        let level = search.level();
        if self.distance.load() == level {
            for other in &self.neighbours {
                let distance = other.distance();
                if distance.load() > level + 1 {
                    distance.store(level + 1);
                    search.found().or(true);
                }
            }
        }
    }

    /// Pulls: an unreached vertex looks for a vertex at the search's level among the sources of its incoming edges, and
    /// stops at the first.
    //
    // A vertex stores one more than the level in its own distance, and others compare that distance with the level: they
    // differ, in any order.
    #[kernel(unordered(distance))]
    pub fn pull(&self, search: Ref<Search>) {
        let level = search.level();
        if self.distance.load() == UNREACHED && self.incoming.iter().any(|other| other.distance().load() == level) {
            self.distance.store(level + 1);
            search.found().or(true);
        }
    }

    /// Pushes from a vertex of the frontier, and puts the vertices that it reaches into the next one. The order does not matter
    /// for the reasons above.
    #[kernel(unordered(distance))]
    pub fn expand(&self, next: Worklist<Vertex>) {
        let farther = self.distance.load() + 1;
        self.neighbours.iter().for_each(|other| {
            let distance = other.distance();
            if distance.load() > farther {
                distance.store(farther);
                next.push(other.link());
            }
        });
    }

    /// The edges out of the frontier.
    #[kernel(reduce(Sum))]
    pub fn frontier_edges(&self, search: Ref<Search>) -> u64 {
        if self.distance.load() == search.level() { self.neighbours.len() as u64 } else { 0 }
    }
}

/// An edge, for the search whose threads are edges.
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
    /// Pushes from one vertex to the other. The order does not matter for the reasons above.
    #[kernel(unordered(distance))]
    pub fn push(&self, search: Ref<Search>) {
        let level = search.level();
        if self.from.distance().load() == level && self.to.distance().load() > level + 1 {
            self.to.distance().store(level + 1);
            search.found().or(true);
        }
    }
}

/// The search as a whole: one object.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Search {
    /// The distance of the vertices in the frontier.
    pub level: u32,
    /// Whether this level has reached a vertex.
    #[atomic]
    pub found: bool,
    /// Whether the last level has.
    pub goes_on: bool,
}

#[soa_methods]
impl Search {
    /// Goes to the next level.
    #[kernel]
    pub fn deepen(&mut self) {
        self.goes_on = self.found.load();
        self.found.store(false);
        self.level += 1;
    }
}

/// The world.
#[soa_world]
pub struct Network {
    /// All vertices.
    pub vertices: Objects<Vertex>,
    /// All edges, if their threads search.
    pub edges: Objects<Edge>,
    /// The search.
    pub searches: Objects<Search>,
}
