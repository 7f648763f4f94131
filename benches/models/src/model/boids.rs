//! Boids on a torus of linked cells: each step they enter their cells in any order, each cell sorts those that it has, and
//! each boid looks at those in the nine cells around it.

use ikra::prelude::*;

/// Boids that a cell holds at most.
pub const ROOM: usize = 32;
/// Seconds per step.
pub const DT: f32 = 0.05;
/// How strongly a boid goes where the others are.
pub const COHESION: f32 = 0.05;
/// How strongly it flies as they do.
pub const ALIGNMENT: f32 = 0.1;
/// How strongly it avoids those that are near.
pub const SEPARATION: f32 = 0.6;
/// Its speed at most.
pub const SPEED: f32 = 1.0;

/// A square of side 1.
#[soa_class]
pub struct Cell {
    /// Those that came in.
    #[atomic]
    pub entered: u32,
    /// Those that are here.
    pub count: u32,
    /// Who they are.
    #[atomic]
    #[inline_array(object)]
    pub boids: [Option<Link<Boid>>; ROOM],
    /// The cells around, and this one.
    #[inline_array]
    pub around: [Link<Cell>; 9],
}

/// A boid.
#[soa_class]
pub struct Boid {
    /// Where it is.
    pub pos: [f32; 2],
    /// Where it flies.
    pub vel: [f32; 2],
    /// Where it will fly.
    pub turned: [f32; 2],
    /// The cell that it is in.
    pub cell: Link<Cell>,
}

#[soa_methods]
impl Cell {
    /// Sorts its boids, who came in any order.
    #[kernel]
    pub fn sort(&mut self) {
        let count = self.entered.load();
        self.entered.store(0);
        self.count = count;
        for n in 1..count as usize {
            let boid = self.boids.get(n).load();
            let mut place = n;
            while place > 0 {
                let before = self.boids.get(place - 1).load();
                if before <= boid {
                    break;
                }
                self.boids.get(place).store(before);
                place -= 1;
            }
            self.boids.get(place).store(boid);
        }
    }
}

#[soa_methods]
impl Boid {
    /// Enters its cell.
    // The order of the boids in a cell is left to chance, until the cell sorts them.
    #[kernel(unordered(entered, boids))]
    pub fn enter(&mut self) {
        let place = self.cell.entered().fetch_add(1);
        self.cell.boids().get(place as usize).store(Some(self.link()));
    }

    /// Turns as its neighbours fly.
    #[kernel]
    pub fn flock(&mut self, size: f32) {
        let mut count = 0.0;
        let (mut towards, mut along, mut away) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        for cell in self.cell.around() {
            cell.boids().range(..cell.count() as usize).for_each(|boid| {
                if let Some(boid) = boid.load() {
                    let boid: Ref<Boid> = self.resolve(boid);
                    let (pos, vel) = (boid.pos(), boid.vel());
                    let mut d = [pos[0] - self.pos[0], pos[1] - self.pos[1]];
                    for k in 0..2 {
                        if d[k] > 0.5 * size {
                            d[k] -= size;
                        } else if d[k] < -0.5 * size {
                            d[k] += size;
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
                }
            });
        }
        let mut vel = self.vel;
        if count > 0.0 {
            for k in 0..2 {
                vel[k] +=
                    COHESION * towards[k] / count + ALIGNMENT * (along[k] / count - self.vel[k]) + SEPARATION * away[k];
            }
        }
        let speed = (vel[0] * vel[0] + vel[1] * vel[1]).sqrt();
        if speed > SPEED {
            vel = [vel[0] / speed * SPEED, vel[1] / speed * SPEED];
        }
        self.turned = vel;
    }

    /// Flies on, maybe into another cell.
    #[kernel]
    pub fn fly(&mut self, size: u32) {
        let side = size as f32;
        self.vel = self.turned;
        let mut at = [0; 2];
        for k in 0..2 {
            let mut x = self.pos[k] + self.vel[k] * DT;
            if x < 0.0 {
                x += side;
            }
            if x >= side {
                x -= side;
            }
            self.pos[k] = x;
            at[k] = x as u32;
        }
        if let Some(cell) = Link::<Cell>::from_index((at[0] * size + at[1]) as usize) {
            self.cell = self.resolve(cell);
        }
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
