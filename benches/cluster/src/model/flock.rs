//! Boids in space, which find each other by a grid that is made anew in each step. They are made in the order of space.

#[path = "../../../models/src/model/flock.rs"]
mod rules;

use ikra::prelude::*;
use ikra::rng::Random;

pub use rules::{Boid, RADIUS, Sky};
use rules::{BoidMut, BoidRef};

/// The distance between boids at the start: thirty see each other.
pub const SPACING: f32 = 0.0259;

#[soa_methods]
impl Boid {
    /// The boid with this number of a cube with so many boids along each edge.
    #[kernel]
    pub fn hatch(id: u32, edge: u32) -> Self {
        let place = [id / (edge * edge), id / edge % edge, id % edge];
        let mut random = Random::new(7, id, 0);
        let pos = core::array::from_fn(|k| (place[k] as f32 + random.uniform_f32()) * SPACING);
        let vel = core::array::from_fn(|_| 2.0 * random.uniform_f32() - 1.0);
        Self { pos, vel, turned: [0.0; 3], number: id }
    }

    /// A number for the bits of its position.
    #[kernel(reduce(Sum))]
    pub fn mark(&self) -> u64 {
        let [x, y, z] = self.pos.map(|x| u64::from(x.to_bits()));
        (x * 31 + y) * 31 + z
    }
}
