//! A road network for a search with a worklist.

use ikra::prelude::*;

/// The distance of junctions that were not reached.
pub const UNREACHED: u32 = u32::MAX;

#[soa_class]
#[derive(Clone, Debug)]
pub struct Junction {
    /// Edges from the source.
    #[atomic]
    pub distance: u32,
    /// Where roads lead.
    #[inline_array(3)]
    pub roads: InnerArray<Link<Junction>>,
}

#[soa_methods]
impl Junction {
    /// Starts anew.
    #[kernel]
    pub fn reset(&mut self, source: Link<Junction>) {
        self.distance.store(if self.link() == source { 0 } else { UNREACHED });
    }
    // All that reach a junction store the same distance.
    #[kernel(unordered(distance))]
    pub fn expand(&self, next: Worklist<Junction>) {
        let farther = self.distance.load() + 1;
        self.roads.iter().for_each(|other| {
            let distance = other.distance();
            if distance.load() > farther {
                distance.store(farther);
                next.push(other.link());
            }
        });
    }
}

#[soa_world]
pub struct Roads {
    pub junctions: Objects<Junction>,
}
