//! The same rules in plain Rust, on one thread: what `--check` compares with.

use crate::model::{Boid, Rules, Seen, moved};
use crate::steps::Cells;

/// A time step.
pub(crate) fn step(boids: &mut [Boid], cells: Cells, rules: &Rules) {
    let (dims, size) = match cells {
        Cells::Plane(grid) => (2, grid.size().to_vec()),
        Cells::Space(grid) => (3, grid.size().to_vec()),
    };
    let cell = |pos: [f32; 3]| match cells {
        Cells::Plane(grid) => grid.cell([pos[0], pos[1]]),
        Cells::Space(grid) => grid.cell(pos),
    };
    let offset = |from: [f32; 3], to: [f32; 3]| match cells {
        Cells::Plane(grid) => {
            let [x, y] = grid.offset([from[0], from[1]], [to[0], to[1]]);
            [x, y, 0.0]
        }
        Cells::Space(grid) => grid.offset(from, to),
    };
    let own: Vec<usize> = boids.iter().map(|boid| cell(boid.pos).expect("a position") as usize).collect();
    let mut lists = vec![Vec::new(); size.iter().product::<u32>() as usize];
    for (n, &cell) in own.iter().enumerate() {
        lists[cell].push(n);
    }
    let around: Vec<Vec<usize>> = (0..lists.len()).map(|cell| neighbours(cell, &size[..dims])).collect();
    for n in 0..boids.len() {
        let Boid { pos, vel, .. } = boids[n];
        let mut seen = Seen::default();
        for &other in around[own[n]].iter().flat_map(|&cell| &lists[cell]) {
            seen.add(offset(pos, boids[other].pos), boids[other].vel, rules);
        }
        boids[n].acc = seen.acceleration(vel, rules);
    }
    for boid in boids {
        (boid.pos, boid.vel) = moved(boid.pos, boid.vel, boid.acc, rules);
    }
}

/// A cell and the cells next to it, each once, by rows. Opposite sides of the box are one.
fn neighbours(cell: usize, size: &[u32]) -> Vec<usize> {
    let (mut rest, mut stride) = (cell, 1);
    let mut all = vec![0];
    for &len in size {
        let (len, at) = (len as usize, rest % len as usize);
        let beside: Vec<usize> =
            if len < 3 { (0..len).collect() } else { (0..3).map(|n| (at + len - 1 + n) % len).collect() };
        all = beside.iter().flat_map(|beside| all.iter().map(move |cell| cell + beside * stride)).collect();
        rest /= len;
        stride *= len;
    }
    all
}
