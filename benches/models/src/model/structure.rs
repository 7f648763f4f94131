//! Masses and springs, linked both ways; a spring that is stretched too far breaks.

use ikra::prelude::*;

/// Seconds per step.
pub const DT: f32 = 0.01;
/// What is left of a speed after a step.
pub const DAMPING: f32 = 0.995;
/// Downwards.
pub const GRAVITY: f32 = 0.05;
/// The share of its length at rest by which a spring may be stretched.
pub const BREAKS_AT: f32 = 0.25;

/// A mass.
#[soa_class]
pub struct Node {
    /// Where it is.
    pub pos: [f32; 2],
    /// Where it goes.
    pub vel: [f32; 2],
    /// How heavy it is.
    pub mass: f32,
    /// Whether it stays where it is.
    pub pinned: bool,
    /// The springs that end here.
    #[inline_array(8)]
    pub springs: InnerArray<Link<Spring>>,
}

/// A spring between two masses.
#[soa_class]
pub struct Spring {
    /// One end.
    pub a: Link<Node>,
    /// The other.
    pub b: Link<Node>,
    /// Its length at rest.
    pub length: f32,
    /// Force per length.
    pub stiffness: f32,
    /// What it does to `a`; the opposite to `b`.
    pub force: [f32; 2],
    /// Whether it is broken.
    pub broken: bool,
}

#[soa_methods]
impl Spring {
    /// The force that it has now.
    #[kernel]
    pub fn pull(&mut self) {
        if self.broken {
            return;
        }
        let (a, b) = (self.a.pos(), self.b.pos());
        let d = [b[0] - a[0], b[1] - a[1]];
        let length = (d[0] * d[0] + d[1] * d[1]).sqrt();
        let stretch = length - self.length;
        if stretch > BREAKS_AT * self.length {
            self.broken = true;
            self.force = [0.0; 2];
        } else {
            let scale = self.stiffness * stretch / length;
            self.force = [d[0] * scale, d[1] * scale];
        }
    }
}

#[soa_methods]
impl Node {
    /// Moves as the springs pull.
    #[kernel]
    pub fn advance(&mut self) {
        if self.pinned {
            return;
        }
        let mut force = [0.0, -GRAVITY * self.mass];
        for spring in &self.springs {
            let pull = spring.force();
            let sign = if spring.a().link() == self.link() { 1.0 } else { -1.0 };
            force[0] += sign * pull[0];
            force[1] += sign * pull[1];
        }
        for k in 0..2 {
            self.vel[k] = (self.vel[k] + force[k] / self.mass * DT) * DAMPING;
            self.pos[k] += self.vel[k] * DT;
        }
    }
}

/// The structure.
#[soa_world]
pub struct Structure {
    /// Masses.
    pub nodes: Objects<Node>,
    /// What holds them together.
    pub springs: Objects<Spring>,
}
