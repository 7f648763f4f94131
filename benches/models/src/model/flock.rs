//! Boids in space, which find each other by a grid that is made anew in each step.

use ikra::Grid;
use ikra::prelude::*;

/// How far a boid sees.
pub const RADIUS: f32 = 0.05;
/// The distance below which boids keep apart.
pub const APART: f32 = 0.02;
/// The length of a time step.
pub const DT: f32 = 0.005;

/// A boid.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Boid {
    /// Position in a box whose opposite sides are one.
    pub pos: [f32; 3],
    /// Velocity.
    pub vel: [f32; 3],
    /// The velocity after this step.
    pub turned: [f32; 3],
    /// Its number at the start.
    pub number: u32,
}

#[soa_methods]
impl Boid {
    /// The position.
    #[kernel]
    pub fn place(&self) -> [f32; 3] {
        self.pos
    }

    /// The cell of the grid.
    #[kernel]
    pub fn cell(&self, grid: Grid<3>) -> u32 {
        grid.cell(self.pos).unwrap_or(0)
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
}

/// The sky.
#[soa_world]
pub struct Sky {
    /// All boids.
    pub boids: Objects<Boid>,
}
