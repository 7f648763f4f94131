//! The model: boids (Reynolds 1987), which keep apart from neighbours, fly as they do, and stay near them.
//!
//! It uses `core` and `ikra` only, so it can be compiled for other targets without changes.

use ikra::Grid;
use ikra::prelude::*;

/// A boid. In two dimensions the third components stay 0.
#[soa_class]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boid {
    /// Position in the box.
    pub pos: [f32; 3],
    /// Velocity.
    pub vel: [f32; 3],
    /// Acceleration by the boids around.
    pub acc: [f32; 3],
}

/// The rules by which boids fly.
#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Rules {
    /// How far a boid sees.
    pub radius: f32,
    /// The distance below which boids keep apart.
    pub apart: f32,
    /// How strongly they keep apart.
    pub separation: f32,
    /// How strongly they fly as others do.
    pub alignment: f32,
    /// How strongly they stay near others.
    pub cohesion: f32,
    /// The lowest speed.
    pub slowest: f32,
    /// The highest speed.
    pub fastest: f32,
    /// The length of a time step.
    pub dt: f32,
    /// The length of the box, whose opposite sides are one.
    pub size: f32,
}

/// What a boid sees of the others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    count: f32,
    centre: [f32; 3],
    vel: [f32; 3],
    push: [f32; 3],
}

impl Seen {
    /// Adds a boid at this offset, if it is near enough. The boid itself is not, since its offset is 0.
    #[inline]
    pub fn add(&mut self, offset: [f32; 3], vel: [f32; 3], rules: &Rules) {
        let distance2 = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
        if distance2 == 0.0 || distance2 > rules.radius * rules.radius {
            return;
        }
        self.count += 1.0;
        let push = if distance2 < rules.apart * rules.apart { 1.0 / distance2 } else { 0.0 };
        for d in 0..3 {
            self.centre[d] += offset[d];
            self.vel[d] += vel[d];
            self.push[d] -= offset[d] * push;
        }
    }

    /// The acceleration of a boid with this velocity.
    #[inline]
    pub fn acceleration(&self, vel: [f32; 3], rules: &Rules) -> [f32; 3] {
        let mut acc = [0.0; 3];
        if self.count > 0.0 {
            for d in 0..3 {
                acc[d] = rules.cohesion * (self.centre[d] / self.count)
                    + rules.alignment * (self.vel[d] / self.count - vel[d])
                    + rules.separation * self.push[d];
            }
        }
        acc
    }
}

/// A boid's position and velocity after a time step.
#[inline]
pub fn moved(mut pos: [f32; 3], mut vel: [f32; 3], acc: [f32; 3], rules: &Rules) -> ([f32; 3], [f32; 3]) {
    for d in 0..3 {
        vel[d] += acc[d] * rules.dt;
    }
    let speed = (vel[0] * vel[0] + vel[1] * vel[1] + vel[2] * vel[2]).sqrt();
    let scale = if speed > rules.fastest {
        rules.fastest / speed
    } else if speed < rules.slowest && speed > 0.0 {
        rules.slowest / speed
    } else {
        1.0
    };
    for d in 0..3 {
        vel[d] *= scale;
        pos[d] += vel[d] * rules.dt;
        if pos[d] >= rules.size {
            pos[d] -= rules.size;
        } else if pos[d] < 0.0 {
            pos[d] += rules.size;
        }
    }
    (pos, vel)
}

#[soa_methods]
impl Boid {
    /// The position in the plane.
    #[kernel]
    pub fn in_plane(&self) -> [f32; 2] {
        [self.pos[0], self.pos[1]]
    }

    /// The position in space.
    #[kernel]
    pub fn in_space(&self) -> [f32; 3] {
        self.pos
    }

    /// Looks at the boids around, in the plane.
    #[kernel]
    pub fn look_in_plane(&mut self, near: Groups<Boid, Grid<2>>, rules: Rules) {
        let (grid, own) = (near.grid(), [self.pos[0], self.pos[1]]);
        let mut seen = Seen::default();
        for other in near.around(own) {
            let pos = other.pos();
            let [x, y] = grid.offset(own, [pos[0], pos[1]]);
            seen.add([x, y, 0.0], other.vel(), &rules);
        }
        self.acc = seen.acceleration(self.vel, &rules);
    }

    /// Looks at the boids around, in space.
    #[kernel]
    pub fn look_in_space(&mut self, near: Groups<Boid, Grid<3>>, rules: Rules) {
        let grid = near.grid();
        let mut seen = Seen::default();
        for other in near.around(self.pos) {
            seen.add(grid.offset(self.pos, other.pos()), other.vel(), &rules);
        }
        self.acc = seen.acceleration(self.vel, &rules);
    }

    /// Flies on.
    #[kernel]
    pub fn fly(&mut self, rules: Rules) {
        (self.pos, self.vel) = moved(self.pos, self.vel, self.acc, &rules);
    }
}

/// The world.
#[soa_world]
pub struct Sky {
    /// All boids.
    pub boids: Objects<Boid>,
}
