//! Boids in the plane that see their neighbours, beside the same program over slices with a cell list.

use ikra::prelude::*;
use ikra::rng::Random;
use ikra::{Grid, World};
use rayon::prelude::*;

/// How far a boid sees.
pub const RADIUS: f32 = 1.0;
const APART2: f32 = 0.16;
const DT: f32 = 0.01;

/// A boid.
#[soa_class]
#[derive(Clone, Copy, Debug)]
pub struct Boid {
    /// Position.
    pub pos: [f32; 2],
    /// Velocity.
    pub vel: [f32; 2],
    /// Acceleration.
    pub acc: [f32; 2],
}

/// The sums over the boids that a boid sees.
#[derive(Clone, Copy, Default)]
pub struct Seen {
    count: f32,
    centre: [f32; 2],
    vel: [f32; 2],
    push: [f32; 2],
}

impl Seen {
    #[inline(always)]
    fn add(&mut self, offset: [f32; 2], vel: impl FnOnce() -> [f32; 2]) {
        let distance2 = offset[0] * offset[0] + offset[1] * offset[1];
        if distance2 == 0.0 || distance2 > RADIUS * RADIUS {
            return;
        }
        self.count += 1.0;
        let push = if distance2 < APART2 { 1.0 / distance2 } else { 0.0 };
        let vel = vel();
        for d in 0..2 {
            self.centre[d] += offset[d];
            self.vel[d] += vel[d];
            self.push[d] -= offset[d] * push;
        }
    }

    #[inline(always)]
    fn acceleration(&self, vel: [f32; 2]) -> [f32; 2] {
        let mut acc = [0.0; 2];
        if self.count > 0.0 {
            for d in 0..2 {
                acc[d] = 2.0 * (self.centre[d] / self.count)
                    + 3.0 * (self.vel[d] / self.count - vel[d])
                    + 0.3 * self.push[d];
            }
        }
        acc
    }
}

#[inline(always)]
fn moved(mut pos: [f32; 2], mut vel: [f32; 2], acc: [f32; 2], size: f32) -> ([f32; 2], [f32; 2]) {
    for d in 0..2 {
        vel[d] += acc[d] * DT;
        pos[d] += vel[d] * DT;
        if pos[d] >= size {
            pos[d] -= size;
        } else if pos[d] < 0.0 {
            pos[d] += size;
        }
    }
    (pos, vel)
}

#[soa_methods]
impl Boid {
    /// Its position.
    #[kernel]
    pub fn place(&self) -> [f32; 2] {
        self.pos
    }

    /// Looks at the boids around.
    #[kernel]
    pub fn look(&mut self, near: Groups<Boid, Grid<2>>) {
        let grid = near.grid();
        let mut seen = Seen::default();
        for other in near.around(self.pos) {
            seen.add(grid.offset(self.pos, other.pos()), || other.vel());
        }
        self.acc = seen.acceleration(self.vel);
    }

    /// Flies on.
    #[kernel]
    pub fn fly(&mut self, size: f32) {
        (self.pos, self.vel) = moved(self.pos, self.vel, self.acc, size);
    }
}

/// The world.
#[soa_world]
pub struct Sky {
    /// All boids.
    pub boids: Objects<Boid>,
}

/// The length of a box in which each of `n` boids sees 30 others, in the mean.
pub fn size(n: usize) -> f32 {
    (n as f32 * std::f32::consts::PI / 30.0).sqrt()
}

/// Boids at random positions.
pub fn boids(n: usize) -> Vec<Boid> {
    let boid = |n_th: usize| {
        let mut random = Random::new(1, n_th as u32, 0);
        let [x, y] = [0; 2].map(|_| random.uniform_f32() * size(n));
        Boid { pos: [x, y], vel: [random.normal_f32(), random.normal_f32()], acc: [0.0; 2] }
    };
    (0..n).map(boid).collect()
}

/// A world of them.
pub fn sky(n: usize) -> Sky {
    let mut sky = Sky::new();
    sky.boids.extend(boids(n)).expect("room");
    sky
}

/// The grid of their box.
pub fn grid(n: usize) -> Grid<2> {
    Grid::new([0.0; 2], [size(n); 2], RADIUS).periodic()
}

/// A step of the world.
pub fn step(sky: &mut Sky, grid: Grid<2>, size: f32) {
    let near = sky.group_by(Boid::place, grid, ()).expect("positions are numbers");
    sky.execute(Boid::look, &near);
    sky.execute(Boid::fly, size);
}

/// The same over slices.
pub struct Plain {
    /// Positions.
    pub pos: Vec<[f32; 2]>,
    /// Velocities.
    pub vel: Vec<[f32; 2]>,
    acc: Vec<[f32; 2]>,
    size: f32,
    /// The number of cells along each axis.
    cells: usize,
    starts: Vec<u32>,
    ids: Vec<u32>,
    cell_of: Vec<u32>,
}

impl Plain {
    /// The same boids, in cells of the same length.
    pub fn new(n: usize) -> Self {
        let (boids, cells) = (boids(n), grid(n).size()[0] as usize);
        Self {
            pos: boids.iter().map(|boid| boid.pos).collect(),
            vel: boids.iter().map(|boid| boid.vel).collect(),
            acc: vec![[0.0; 2]; n],
            size: size(n),
            cells,
            starts: vec![0; cells * cells + 1],
            ids: vec![0; n],
            cell_of: vec![0; n],
        }
    }

    fn build(&mut self) {
        let per_unit = self.cells as f32 / self.size;
        let cell = |x: f32| ((x * per_unit) as usize).min(self.cells - 1);
        self.starts.fill(0);
        for (cell_of, pos) in self.cell_of.iter_mut().zip(&self.pos) {
            *cell_of = (cell(pos[1]) * self.cells + cell(pos[0])) as u32;
            self.starts[*cell_of as usize + 1] += 1;
        }
        for n in 1..self.starts.len() {
            self.starts[n] += self.starts[n - 1];
        }
        let mut next = self.starts.clone();
        for (n, &cell) in self.cell_of.iter().enumerate() {
            let next = &mut next[cell as usize];
            self.ids[*next as usize] = n as u32;
            *next += 1;
        }
    }

    /// The acceleration of one boid.
    fn look(&self, n: usize) -> [f32; 2] {
        let (pos, cells, size) = (self.pos[n], self.cells, self.size);
        let (x, y) = (self.cell_of[n] as usize % cells, self.cell_of[n] as usize / cells);
        let mut seen = Seen::default();
        for row in [y + cells - 1, y, y + 1] {
            for column in [x + cells - 1, x, x + 1] {
                let cell = row % cells * cells + column % cells;
                for &other in &self.ids[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                    let mut offset = self.pos[other as usize];
                    for d in 0..2 {
                        offset[d] -= pos[d];
                        offset[d] -= (offset[d] / size + 0.5).floor() * size;
                    }
                    seen.add(offset, || self.vel[other as usize]);
                }
            }
        }
        seen.acceleration(self.vel[n])
    }

    /// A step on one thread.
    pub fn step(&mut self) {
        self.build();
        let mut acc = std::mem::take(&mut self.acc);
        for (n, acc) in acc.iter_mut().enumerate() {
            *acc = self.look(n);
        }
        self.acc = acc;
        for ((pos, vel), &acc) in self.pos.iter_mut().zip(&mut self.vel).zip(&self.acc) {
            (*pos, *vel) = moved(*pos, *vel, acc, self.size);
        }
    }

    /// A step on all threads.
    pub fn step_on_threads(&mut self) {
        self.build();
        let mut acc = std::mem::take(&mut self.acc);
        acc.par_iter_mut().enumerate().with_min_len(1024).for_each(|(n, acc)| *acc = self.look(n));
        self.acc = acc;
        let (acc, size) = (&self.acc, self.size);
        self.pos.par_iter_mut().zip(&mut self.vel).zip(acc).with_min_len(1024).for_each(|((pos, vel), &acc)| {
            (*pos, *vel) = moved(*pos, *vel, acc, size);
        });
    }
}
