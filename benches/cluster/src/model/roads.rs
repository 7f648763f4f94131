//! Junctions of roads, which share what they have with their neighbours.

use ikra::Grid;
use ikra::prelude::*;

/// A junction.
#[soa_class]
pub struct Junction {
    /// The amount.
    pub heat: f32,
    /// The position.
    pub pos: [f32; 2],
    /// The junctions at the other ends of its roads.
    #[inline_array(3)]
    pub roads: InnerArray<Link<Junction>>,
}

#[soa_methods]
impl Junction {
    /// Takes the mean of its neighbours.
    #[kernel(snapshot(heat))]
    pub fn spread(&mut self) {
        let sum: f32 = self.roads.iter().map(|other| other.heat()).sum();
        self.heat = 0.5 * self.heat + 0.5 * sum / (self.roads.len().max(1) as f32);
    }

    /// The place along a curve.
    #[kernel]
    pub fn along(&self, grid: Grid<2>) -> u64 {
        grid.hilbert(self.pos).unwrap_or(0)
    }
}

/// A network.
#[soa_world]
pub struct Roads {
    /// All junctions.
    pub junctions: Objects<Junction>,
}
