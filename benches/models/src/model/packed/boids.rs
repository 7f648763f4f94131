//! Boids whose cells keep copies of them: a cell takes over those that came in, in their order, so that others find them side by
//! side, and a boid turns and flies in one kernel, since others look at the copies.

use ikra::prelude::*;

use crate::model::boids::{ALIGNMENT, COHESION, DT, ROOM, SEPARATION, SPEED};

/// Where a boid is, and where it flies, in 16 bytes, which are one access.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C, align(16))]
pub struct Flight {
    /// Where it is.
    pub pos: [f32; 2],
    /// Where it flies.
    pub vel: [f32; 2],
}

/// A square of side 1.
#[soa_class]
pub struct Cell {
    /// Those that came in.
    #[atomic]
    pub entered: u32,
    /// Those that are here.
    pub count: u32,
    /// Who they are, in any order.
    #[atomic]
    #[inline_array(object)]
    pub boids: [Option<Link<Boid>>; ROOM],
    /// How they fly, in their order.
    #[inline_array(object)]
    pub flights: [Flight; ROOM],
    /// The cells around, and this one.
    #[inline_array]
    pub around: [Link<Cell>; 9],
}

/// A boid.
#[soa_class]
pub struct Boid {
    /// How it flies.
    pub flight: Flight,
}

#[soa_methods]
impl Cell {
    /// Takes over its boids: the place of each is the number of those before it.
    #[kernel]
    pub fn take_over(&mut self) {
        let count = self.entered.load();
        self.entered.store(0);
        self.count = count;
        for n in 0..count as usize {
            let boid = self.boids.get(n).load();
            let mut place = 0;
            self.boids.range(..count as usize).for_each(|other| place += usize::from(other.load() < boid));
            if let Some(boid) = boid {
                let boid: Ref<Boid> = self.resolve(boid);
                self.flights.set(place, boid.flight());
            }
        }
    }
}

/// The coordinate after a step.
fn moved(x: f32, vel: f32, side: f32) -> f32 {
    let mut x = x + vel * DT;
    if x < 0.0 {
        x += side;
    }
    if x >= side {
        x -= side;
    }
    x
}

#[soa_methods]
impl Boid {
    /// The cell that it is in.
    fn cell(&self, size: u32) -> Ref<Cell> {
        let pos = self.flight.pos;
        let index = pos[0] as u32 * size + pos[1] as u32;
        self.resolve(Link::<Cell>::from_index(index as usize).expect("few cells"))
    }

    /// Enters its cell.
    // The order of the boids in a cell is left to chance, until the cell takes them over.
    #[kernel(unordered(entered, boids))]
    pub fn enter(&mut self, size: u32) {
        let cell = self.cell(size);
        let place = cell.entered().fetch_add(1);
        cell.boids().get(place as usize).store(Some(self.link()));
    }

    /// Turns as its neighbours fly, and flies on.
    #[kernel]
    pub fn fly(&mut self, size: u32) {
        let side = size as f32;
        let Flight { pos: here, vel: before } = self.flight;
        let mut count = 0.0;
        let (mut towards, mut along, mut away) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        let around = self.cell(size).around();
        let cells = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|n| around.get(n));
        let counts = cells.map(|cell| cell.count());
        for n in 0..9 {
            cells[n].flights().range(..counts[n] as usize).for_each(|Flight { pos, vel }| {
                let mut d = [pos[0] - here[0], pos[1] - here[1]];
                for k in 0..2 {
                    if d[k] > 0.5 * side {
                        d[k] -= side;
                    } else if d[k] < -0.5 * side {
                        d[k] += side;
                    }
                }
                let distance = d[0] * d[0] + d[1] * d[1];
                // Not oneself.
                if distance < 1.0 && distance > 0.0 {
                    count += 1.0;
                    for k in 0..2 {
                        towards[k] += d[k];
                        along[k] += vel[k];
                        away[k] -= d[k] * (1.0 - distance);
                    }
                }
            });
        }
        let mut vel = before;
        if count > 0.0 {
            for k in 0..2 {
                vel[k] +=
                    COHESION * towards[k] / count + ALIGNMENT * (along[k] / count - before[k]) + SEPARATION * away[k];
            }
        }
        let speed = (vel[0] * vel[0] + vel[1] * vel[1]).sqrt();
        if speed > SPEED {
            vel = [vel[0] / speed * SPEED, vel[1] / speed * SPEED];
        }
        self.flight = Flight { pos: [moved(here[0], vel[0], side), moved(here[1], vel[1], side)], vel };
    }
}

/// All of them.
#[soa_world]
pub struct Sky {
    /// The torus.
    pub cells: Objects<Cell>,
    /// Who flies over it.
    pub boids: Objects<Boid>,
}
