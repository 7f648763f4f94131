//! Boids that look at the others around them: bins have inner arrays of links, which the host fills.

use ikra::prelude::*;

use super::{Model, mix, uniform};

/// Seconds per step.
const DT: f32 = 0.05;

/// A square of side 1.
#[soa_class]
pub struct Bin {
    /// The boids in it.
    #[inline_array(0)]
    pub boids: InnerArray<Link<Boid>>,
}

/// A boid.
#[soa_class]
pub struct Boid {
    /// Where it is.
    pub pos: [f32; 2],
    /// Where it flies.
    pub vel: [f32; 2],
}

fn bin_of(pos: [f32; 2], side: u32) -> u32 {
    let [x, y] = pos.map(|x| (x as u32).min(side - 1));
    y * side + x
}

/// Sums over neighbours, and the velocity that they bring about: one text for both programs.
#[derive(Default)]
struct Sums {
    count: f32,
    towards: [f32; 2],
    along: [f32; 2],
    away: [f32; 2],
}

impl Sums {
    #[inline]
    fn add(&mut self, d: [f32; 2], vel: [f32; 2]) {
        let distance = d[0] * d[0] + d[1] * d[1];
        if distance < 1.0 && distance > 0.0 {
            self.count += 1.0;
            for k in 0..2 {
                self.towards[k] += d[k];
                self.along[k] += vel[k];
                self.away[k] -= d[k] * (1.0 - distance);
            }
        }
    }
    #[inline]
    fn turn(&self, before: [f32; 2]) -> [f32; 2] {
        if self.count == 0.0 {
            return before;
        }
        let vel = [0, 1].map(|k| {
            let along = self.along[k] / self.count - before[k];
            before[k] + 0.05 * self.towards[k] / self.count + 0.1 * along + 0.6 * self.away[k]
        });
        let speed = (vel[0] * vel[0] + vel[1] * vel[1]).sqrt();
        if speed > 1.0 { vel.map(|x| x / speed) } else { vel }
    }
}

/// The place after a step, reflected at the walls.
#[inline]
fn moved(pos: &mut [f32; 2], vel: &mut [f32; 2], side: u32) {
    for k in 0..2 {
        let next = pos[k] + DT * vel[k];
        if next < 0.0 || next >= side as f32 {
            vel[k] = -vel[k];
        } else {
            pos[k] = next;
        }
    }
}

#[soa_methods]
impl Boid {
    /// Turns as its neighbours fly.
    #[kernel(snapshot(vel))]
    pub fn flock(&mut self, side: u32) {
        let mut sums = Sums::default();
        let [x, y] = self.pos.map(|x| (x as u32).min(side - 1));
        for row in y.saturating_sub(1)..(y + 2).min(side) {
            let (from, to) = (row * side + x.saturating_sub(1), row * side + (x + 2).min(side));
            for bin in self.all::<Bin>().range(from as usize..to as usize) {
                for boid in bin.boids() {
                    let pos = boid.pos();
                    sums.add([pos[0] - self.pos[0], pos[1] - self.pos[1]], boid.vel());
                }
            }
        }
        self.vel = sums.turn(self.vel);
    }
    /// Flies.
    #[kernel]
    pub fn fly(&mut self, side: u32) {
        let (mut pos, mut vel) = (self.pos, self.vel);
        moved(&mut pos, &mut vel, side);
        self.pos = pos;
        self.vel = vel;
    }
}

/// The world.
#[soa_world]
pub struct Sky {
    /// Row by row.
    pub bins: Objects<Bin>,
    /// In no order.
    pub boids: Objects<Boid>,
}

#[derive(Clone, Copy)]
struct TwinBoid {
    pos: [f32; 2],
    vel: [f32; 2],
}

/// The same in plain Rust.
pub struct Twin {
    side: u32,
    boids: Vec<TwinBoid>,
    next: Vec<[f32; 2]>,
    offsets: Vec<u32>,
    indices: Vec<u32>,
}

/// Sorts by bins: offsets, and what is in the bins.
fn sorted<T: Copy>(
    count: usize,
    bins: &[u32],
    items: impl Fn(usize) -> T,
    offsets: &mut Vec<u32>,
    sorted: &mut Vec<T>,
) {
    offsets.clear();
    offsets.resize(count + 1, 0);
    for &bin in bins {
        offsets[bin as usize] += 1;
    }
    let mut sum = 0;
    for offset in offsets.iter_mut() {
        sum += *offset;
        *offset = sum;
    }
    sorted.clear();
    sorted.resize(bins.len(), items(0));
    for (n, &bin) in bins.iter().enumerate().rev() {
        offsets[bin as usize] -= 1;
        sorted[offsets[bin as usize] as usize] = items(n);
    }
}

/// The model.
pub struct Boids;

impl Model for Boids {
    const NAME: &str = "boids";
    type World = Sky;
    type Twin = Twin;

    fn make(scale: usize) -> (Sky, Twin) {
        let side = scale.max(8) as u32;
        let count = (side * side * 6) as usize;
        let place = |n| [3 * n, 3 * n + 1].map(|k| uniform(k) * side as f32);
        let vel = |n| [7 * n, 7 * n + 1].map(|k| uniform(k) - 0.5);
        let mut sky = Sky::new();
        sky.bins.extend((0..side * side).map(|_| Bin { boids: InnerArray::new() })).expect("memory");
        sky.boids.extend((0..count).map(|n| Boid { pos: place(n), vel: vel(n) })).expect("memory");
        let boids = (0..count).map(|n| TwinBoid { pos: place(n), vel: vel(n) }).collect();
        (sky, Twin { side, boids, next: vec![[0.0; 2]; count], offsets: Vec::new(), indices: Vec::new() })
    }

    fn step(sky: &mut Sky, _: u32) {
        let side = sky.bins.len().isqrt() as u32;
        let bins: Vec<u32> = sky.boids.column(boid::pos).iter().map(|&pos| bin_of(pos, side)).collect();
        let links: Vec<Link<Boid>> = sky.boids.links().collect();
        let (mut offsets, mut inside) = (Vec::new(), Vec::new());
        sorted(sky.bins.len(), &bins, |n| links[n], &mut offsets, &mut inside);
        sky.bins.set_arrays(bin::boids, &offsets, &inside).expect("memory");
        sky.execute(Boid::flock, side);
        sky.execute(Boid::fly, side);
    }

    fn twin_step(twin: &mut Twin, _: u32) {
        let Twin { side, boids, next, offsets, indices } = twin;
        let bins: Vec<u32> = boids.iter().map(|boid| bin_of(boid.pos, *side)).collect();
        sorted((*side * *side) as usize, &bins, |n| n as u32, offsets, indices);
        for (boid, next) in boids.iter().zip(next.iter_mut()) {
            let mut sums = Sums::default();
            let [x, y] = boid.pos.map(|x| (x as u32).min(*side - 1));
            for row in y.saturating_sub(1)..(y + 2).min(*side) {
                for bin in row * *side + x.saturating_sub(1)..row * *side + (x + 2).min(*side) {
                    for &other in &indices[offsets[bin as usize] as usize..offsets[bin as usize + 1] as usize] {
                        let other = &boids[other as usize];
                        sums.add([other.pos[0] - boid.pos[0], other.pos[1] - boid.pos[1]], other.vel);
                    }
                }
            }
            *next = sums.turn(boid.vel);
        }
        for (boid, next) in boids.iter_mut().zip(next) {
            boid.vel = *next;
            moved(&mut boid.pos, &mut boid.vel, *side);
        }
    }

    fn digest(sky: &Sky) -> u64 {
        mix(sky
            .boids
            .column(boid::pos)
            .iter()
            .map(|pos| u64::from(pos[0].to_bits()) + (u64::from(pos[1].to_bits()) << 32)))
    }

    fn twin_digest(twin: &Twin) -> u64 {
        mix(twin.boids.iter().map(|boid| u64::from(boid.pos[0].to_bits()) + (u64::from(boid.pos[1].to_bits()) << 32)))
    }
}
