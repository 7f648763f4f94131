//! Masses and springs with what a step needs side by side: both ends of a spring, its length and stiffness. A node knows which end
//! of each of its springs it is, and a mass of 0 stays where it is.

use ikra::prelude::*;

use crate::model::structure::{BREAKS_AT, DAMPING, DT, GRAVITY};

/// A mass.
#[soa_class]
pub struct Node {
    /// Where it is.
    pub pos: [f32; 2],
    /// Where it goes.
    pub vel: [f32; 2],
    /// How heavy it is; 0 if it stays where it is.
    pub mass: f32,
    /// A bit for each of its springs, the first the lowest: whether it starts here.
    pub starts: u32,
    /// The springs that end here.
    #[inline_array(8)]
    pub springs: InnerArray<Link<Spring>>,
}

/// A spring between two masses.
#[soa_class]
pub struct Spring {
    /// Its ends.
    #[inline_array(object)]
    pub ends: [Link<Node>; 2],
    /// Its length at rest, and force per length.
    pub rest: [f32; 2],
    /// What it does to the first end; the opposite to the other.
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
        let (a, b) = (self.ends.get(0).pos(), self.ends.get(1).pos());
        let d = [b[0] - a[0], b[1] - a[1]];
        let length = (d[0] * d[0] + d[1] * d[1]).sqrt();
        let [rest, stiffness] = self.rest;
        let stretch = length - rest;
        if stretch > BREAKS_AT * rest {
            self.broken = true;
            self.force = [0.0; 2];
        } else {
            let scale = stiffness * stretch / length;
            self.force = [d[0] * scale, d[1] * scale];
        }
    }
}

#[soa_methods]
impl Node {
    /// Moves as the springs pull.
    #[kernel]
    pub fn advance(&mut self) {
        if self.mass == 0.0 {
            return;
        }
        let mut force = [0.0, -GRAVITY * self.mass];
        let mut starts = self.starts;
        self.springs.iter().for_each(|spring| {
            let pull = spring.force();
            let sign = if starts & 1 == 1 { 1.0 } else { -1.0 };
            starts >>= 1;
            force[0] += sign * pull[0];
            force[1] += sign * pull[1];
        });
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
