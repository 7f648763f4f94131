//! Hand-written loops over slices, one per field.

use rayon::prelude::*;

use crate::{DT, System, Threads, friend, position, velocity};

/// Elements per task on several threads.
const CHUNK: usize = 16_384;

pub struct Slices {
    px: Vec<f64>,
    py: Vec<f64>,
    vx: Vec<f64>,
    vy: Vec<f64>,
    friend: Vec<u32>,
    seen: Vec<f64>,
}

impl Slices {
    pub fn new(n: usize) -> Self {
        Self {
            px: (0..n).map(|n| position(n)[0]).collect(),
            py: (0..n).map(|n| position(n)[1]).collect(),
            vx: (0..n).map(|n| velocity(n)[0]).collect(),
            vy: (0..n).map(|n| velocity(n)[1]).collect(),
            friend: Vec::new(),
            seen: Vec::new(),
        }
    }
}

fn advance(px: &mut [f64], py: &mut [f64], vx: &[f64], vy: &[f64]) {
    for (((px, py), vx), vy) in px.iter_mut().zip(py).zip(vx).zip(vy) {
        *px += vx * DT;
        *py += vy * DT;
    }
}

fn follow(seen: &mut [f64], friend: &[u32], px: &[f64]) {
    for (seen, friend) in seen.iter_mut().zip(friend) {
        *seen = px[*friend as usize];
    }
}

impl System for Slices {
    fn name(&self) -> &'static str {
        "slices"
    }

    fn add_followers(&mut self) {
        let bodies = self.px.len();
        self.friend = (0..bodies).map(|n| friend(n, bodies) as u32).collect();
        self.seen = vec![0.0; bodies];
    }

    fn advance(&mut self, threads: Threads) {
        let Self { px, py, vx, vy, .. } = self;
        match threads {
            Threads::One => advance(px, py, vx, vy),
            Threads::Two => threads.pool().install(|| {
                let positions = px.par_chunks_mut(CHUNK).zip(py.par_chunks_mut(CHUNK));
                let velocities = vx.par_chunks(CHUNK).zip(vy.par_chunks(CHUNK));
                positions.zip(velocities).for_each(|((px, py), (vx, vy))| advance(px, py, vx, vy));
            }),
        }
    }

    fn follow(&mut self, threads: Threads) {
        let Self { px, friend, seen, .. } = self;
        match threads {
            Threads::One => follow(seen, friend, px),
            Threads::Two => threads.pool().install(|| {
                let followers = seen.par_chunks_mut(CHUNK).zip(friend.par_chunks(CHUNK));
                followers.for_each(|(seen, friend)| follow(seen, friend, px));
            }),
        }
    }

    fn count_right_of(&mut self, x: f64) -> usize {
        self.px.iter().filter(|&&px| px > x).count()
    }

    fn positions(&mut self) -> Vec<[f64; 2]> {
        self.px.iter().zip(&self.py).map(|(&x, &y)| [x, y]).collect()
    }

    fn seen(&mut self) -> Vec<f64> {
        self.seen.clone()
    }
}
