//! Tori with cells, and a plain program to compare with.

use ikra::prelude::*;
use rand_mt::Mt64;

use crate::model::{Cell, Torus};

/// The neighbours of the cell at `(x, y)`, as positions.
fn around(x: usize, y: usize, width: usize, height: usize) -> [(usize, usize); 8] {
    let (left, above) = (x + width - 1, y + height - 1);
    let all =
        [(left, above), (left, y), (left, y + 1), (x, above), (x, y + 1), (x + 1, above), (x + 1, y), (x + 1, y + 1)];
    all.map(|(x, y)| (x % width, y % height))
}

/// A torus on which about four of ten cells are alive, the same ones in every run. Cells of a column follow each other.
pub(crate) fn random(width: usize, height: usize) -> Result<Torus, ikra::Error> {
    let mut torus = Torus::new();
    let mut random = Mt64::new_unseeded();
    let links: Vec<Link<Cell>> = torus.cells.reserve(width * height)?.collect();
    for x in 0..width {
        for y in 0..height {
            // A float in 0..1 out of 64 random bits; 2⁶⁴ is exact.
            let alive = random.next_u64() as f32 / 2_f32.powi(64) < 0.4;
            let around = around(x, y, width, height).map(|(x, y)| links[x * height + y]);
            torus.cells.init(links[x * height + y], Cell { alive, around })?;
        }
    }
    Ok(torus)
}

/// The next generation of a plain program.
pub(crate) fn next(alive: &[bool], width: usize, height: usize) -> Vec<bool> {
    let cell = |n: usize| {
        let neighbours = around(n / height, n % height, width, height);
        let count = neighbours.iter().filter(|&&(x, y)| alive[x * height + y]).count();
        count == 3 || alive[n] && count == 2
    };
    (0..width * height).map(cell).collect()
}
