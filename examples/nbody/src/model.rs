//! The model: bodies that attract each other. Units are such that the gravitational constant is 1.
//!
//! It uses `core` and `ikra` only, so it can be compiled for other targets without changes.

use ikra::math::max;
use ikra::prelude::*;

/// A body. In a two-dimensional simulation the third components stay 0.
#[soa_class]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Position.
    pub pos: [f64; 3],
    /// Velocity.
    pub vel: [f64; 3],
    /// Acceleration by all other bodies.
    pub acc: [f64; 3],
    /// Potential of all other bodies, per mass.
    pub potential: f64,
    /// Mass.
    pub mass: f64,
}

#[soa_methods]
impl Body {
    /// A body on which no force has been computed yet.
    pub fn new(mass: f64, pos: [f64; 3], vel: [f64; 3]) -> Self {
        Self { pos, vel, acc: [0.0; 3], potential: 0.0, mass }
    }

    /// First half of a leap-frog step: half a kick, then a drift. Clears the sums of `attract`.
    #[kernel]
    pub fn kick_drift(&mut self, dt: f64) {
        for d in 0..3 {
            self.vel[d] += 0.5 * dt * self.acc[d];
            self.pos[d] += dt * self.vel[d];
            self.acc[d] = 0.0;
        }
        self.potential = 0.0;
    }

    /// Adds the contribution of one other body, softened (Plummer): as if its mass were spread over a distance whose
    /// square is `softening2`. A body at the same position contributes nothing, and neither does the body itself.
    #[kernel(pairs)]
    pub fn attract(&mut self, other: Ref<Body>, softening2: f64) {
        let (pos, mass) = (other.pos(), other.mass());
        let d = [pos[0] - self.pos[0], pos[1] - self.pos[1], pos[2] - self.pos[2]];
        let distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        let softened2 = distance2 + softening2;
        let inverse = if distance2 > 0.0 { 1.0 / softened2.sqrt() } else { 0.0 };
        let pull = mass * inverse * inverse * inverse;
        for k in 0..3 {
            self.acc[k] += pull * d[k];
        }
        self.potential -= mass * inverse;
    }

    /// Second half of a leap-frog step: the other half of the kick.
    #[kernel]
    pub fn kick(&mut self, dt: f64) {
        for d in 0..3 {
            self.vel[d] += 0.5 * dt * self.acc[d];
        }
    }

    /// Kinetic energy plus the body's half of the potential energy of its pairs.
    #[kernel(reduce(Sum))]
    pub fn energy(&self) -> f64 {
        let speed2 = self.vel[0] * self.vel[0] + self.vel[1] * self.vel[1] + self.vel[2] * self.vel[2];
        0.5 * self.mass * (speed2 + self.potential)
    }

    /// Magnitude of the acceleration.
    #[kernel(reduce(Max))]
    pub fn strength(&self) -> f64 {
        (self.acc[0] * self.acc[0] + self.acc[1] * self.acc[1] + self.acc[2] * self.acc[2]).sqrt()
    }
}

/// What is measured of all bodies: one object, which stays at the place of the kernels.
#[soa_class]
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The energy after the last step.
    pub energy: f64,
    /// The strongest acceleration in the last step.
    pub strength: f64,
    /// The energy at the start.
    pub start: f64,
    /// The largest difference of the energy from that at the start.
    pub drift: f64,
    /// The strongest acceleration so far.
    pub strongest: f64,
}

#[soa_methods]
impl Record {
    /// Begins with the energy of now.
    #[kernel]
    pub fn begin(&mut self) {
        self.start = self.energy;
        self.strongest = self.strength;
    }

    /// Compares the last step with those before.
    #[kernel]
    pub fn note(&mut self) {
        self.drift = max(self.drift, (self.energy - self.start).abs());
        self.strongest = max(self.strongest, self.strength);
    }
}

/// The world.
#[soa_world]
pub struct Sim {
    /// All bodies.
    pub bodies: Objects<Body>,
    /// The only record.
    pub records: Objects<Record>,
}
