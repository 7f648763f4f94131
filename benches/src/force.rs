//! The all-pairs force of three-dimensional gravity in `f32`, softened.

use ikra::prelude::*;

/// Keeps the force finite where two bodies meet, squared.
const SOFTENING: f32 = 0.01;

/// A body.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Body {
    /// Position.
    pub pos: [f32; 3],
    /// Velocity.
    pub vel: [f32; 3],
    /// Force.
    pub force: [f32; 3],
    /// Mass.
    pub mass: f32,
}

/// The force of one body on another, the same arithmetic everywhere.
#[inline(always)]
fn pull(pos: [f32; 3], mass: f32, from: [f32; 3], from_mass: f32) -> [f32; 3] {
    let d = [from[0] - pos[0], from[1] - pos[1], from[2] - pos[2]];
    let r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFTENING;
    let f = mass * from_mass / (r2 * r2.sqrt());
    [f * d[0], f * d[1], f * d[2]]
}

#[soa_methods]
impl Body {
    /// The `n`-th body, on a spiral.
    pub fn nth(n: usize) -> Self {
        let t = n as f32;
        Self {
            pos: [(0.37 * t).sin(), (0.91 * t).cos(), 0.001 * t],
            vel: [0.0; 3],
            force: [0.0; 3],
            mass: 1.0 + 0.001 * t,
        }
    }

    /// Adds the force of one other body.
    #[kernel(pairs)]
    pub fn attract(&mut self, other: Ref<Body>) {
        let f = pull(self.pos, self.mass, other.pos(), other.mass());
        for k in 0..3 {
            self.force[k] += f[k];
        }
    }

    /// Adds the forces of all others, in a loop of its own.
    #[kernel]
    pub fn attract_all(&mut self) {
        for other in self.all::<Body>() {
            let f = pull(self.pos, self.mass, other.pos(), other.mass());
            for k in 0..3 {
                self.force[k] += f[k];
            }
        }
    }

    /// Does nothing.
    #[kernel]
    pub fn idle(&mut self) {}
}

/// The world.
#[soa_world]
pub struct Sim {
    /// The bodies.
    pub bodies: Objects<Body>,
}

/// A world of `n` bodies.
///
/// # Panics
///
/// If there is no memory for it.
pub fn world(n: usize) -> Sim {
    let mut sim = Sim::new();
    sim.bodies.extend((0..n).map(Body::nth)).expect("there is memory");
    sim
}

/// `n` bodies as rows.
pub fn rows(n: usize) -> Vec<Body> {
    (0..n).map(Body::nth).collect()
}

/// The plain double loop over rows.
#[inline(never)]
pub fn aos_attract(rows: &mut [Body]) {
    for i in 0..rows.len() {
        for j in 0..rows.len() {
            let (pos, mass) = (rows[j].pos, rows[j].mass);
            let row = &mut rows[i];
            let f = pull(row.pos, row.mass, pos, mass);
            for k in 0..3 {
                row.force[k] += f[k];
            }
        }
    }
}

/// Hand-written SoA: each body's force summed up in registers.
#[inline(never)]
pub fn hand_attract(pos: &[[f32; 3]], mass: &[f32], force: &mut [[f32; 3]]) {
    let n = pos.len();
    let (mass, force) = (&mass[..n], &mut force[..n]);
    for i in 0..n {
        let mut sum = force[i];
        for j in 0..n {
            let f = pull(pos[i], mass[i], pos[j], mass[j]);
            for k in 0..3 {
                sum[k] += f[k];
            }
        }
        force[i] = sum;
    }
}

/// Hand-written SoA with the SIMD lanes across bodies, 16 at a time: what the `pairs` executor does, by
/// hand. The number of bodies is a multiple of 16.
#[inline(never)]
pub fn hand_attract_lanes(pos: &[[f32; 3]], mass: &[f32], force: &mut [[f32; 3]]) {
    const LANES: usize = 16;
    let n = pos.len();
    for first in (0..n).step_by(LANES) {
        let mut x = [[0.0f32; LANES]; 3];
        let mut sum = [[0.0f32; LANES]; 3];
        let mut m = [0.0f32; LANES];
        for lane in 0..LANES {
            for k in 0..3 {
                x[k][lane] = pos[first + lane][k];
                sum[k][lane] = force[first + lane][k];
            }
            m[lane] = mass[first + lane];
        }
        for j in 0..n {
            let (other, other_mass) = (pos[j], mass[j]);
            for lane in 0..LANES {
                let f = pull([x[0][lane], x[1][lane], x[2][lane]], m[lane], other, other_mass);
                for k in 0..3 {
                    sum[k][lane] += f[k];
                }
            }
        }
        for lane in 0..LANES {
            for k in 0..3 {
                force[first + lane][k] = sum[k][lane];
            }
        }
    }
}
