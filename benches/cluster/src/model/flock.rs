//! Boids in space, which find each other by a grid that is made anew in each step: the rules of
//! `benches/models/src/model/flock.rs`. They are made in the order of space.

use ikra::Grid;
use ikra::prelude::*;
use ikra::rng::Random;

/// How far a boid sees.
pub const RADIUS: f32 = 0.05;
/// The distance below which boids keep apart.
const APART: f32 = 0.02;
/// The length of a time step.
const DT: f32 = 0.005;
/// The distance between boids at the start: thirty see each other.
pub const SPACING: f32 = 0.0259;

/// A boid.
#[soa_class]
pub struct Boid {
    /// Position in a box whose opposite sides are one.
    pub pos: [f32; 3],
    /// Velocity.
    pub vel: [f32; 3],
    /// The velocity after this step.
    pub turned: [f32; 3],
}

#[soa_methods]
impl Boid {
    /// The boid with this number of a cube with so many boids along each edge.
    #[kernel]
    pub fn hatch(id: u32, edge: u32) -> Self {
        let place = [id / (edge * edge), id / edge % edge, id % edge];
        let mut random = Random::new(7, id, 0);
        let pos = core::array::from_fn(|k| (place[k] as f32 + random.uniform_f32()) * SPACING);
        Self { pos, vel: core::array::from_fn(|_| 2.0 * random.uniform_f32() - 1.0), turned: [0.0; 3] }
    }

    /// The position.
    #[kernel]
    pub fn place(&self) -> [f32; 3] {
        self.pos
    }

    /// Keeps apart from the boids around, flies as they do, and stays near them.
    #[kernel]
    pub fn look(&mut self, near: Groups<Boid, Grid<3>>) {
        let (grid, own) = (near.grid(), self.pos);
        let (mut count, mut centre, mut along, mut away) = (0.0_f32, [0.0; 3], [0.0; 3], [0.0; 3]);
        for other in near.around(own) {
            let d = grid.offset(own, other.pos());
            let distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if distance2 < RADIUS * RADIUS && distance2 > 0.0 {
                let vel = other.vel();
                let push = if distance2 < APART * APART { 1.0 } else { 0.0 };
                count += 1.0;
                for k in 0..3 {
                    centre[k] += d[k];
                    along[k] += vel[k];
                    away[k] -= d[k] * push;
                }
            }
        }
        let mut vel = self.vel;
        if count > 0.0 {
            for k in 0..3 {
                vel[k] += 0.1 * (centre[k] / count) + 0.05 * (along[k] / count - vel[k]) + 0.2 * away[k];
            }
        }
        self.turned = vel;
    }

    /// Flies on.
    #[kernel]
    pub fn fly(&mut self, side: f32) {
        self.vel = self.turned;
        for k in 0..3 {
            let mut x = self.pos[k] + self.vel[k] * DT;
            if x < 0.0 {
                x += side;
            }
            if x >= side {
                x -= side;
            }
            self.pos[k] = x;
        }
    }

    /// A number for the bits of its position.
    #[kernel(reduce(Sum))]
    pub fn mark(&self) -> u64 {
        let [x, y, z] = self.pos.map(|x| u64::from(x.to_bits()));
        (x * 31 + y) * 31 + z
    }
}

/// The sky.
#[soa_world]
pub struct Sky {
    /// All boids.
    pub boids: Objects<Boid>,
}
