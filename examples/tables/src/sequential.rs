//! The same ranks, by plain loops over arrays.

use crate::model::{ALL, FOLLOWED};

/// The ranks of vertices after some iterations, as parts of [`ALL`].
#[must_use]
pub fn ranks(vertices: usize, edges: &[(usize, usize)], iterations: u32) -> Vec<u64> {
    let count = vertices as u64;
    let mut out = vec![0_u64; vertices];
    for &(from, _) in edges {
        out[from] += 1;
    }
    let mut units = vec![ALL / count.max(1); vertices];
    for _ in 0..iterations {
        let mut received = vec![0; vertices];
        for &(from, to) in edges {
            received[to] += units[from] / out[from];
        }
        let lost = units.iter().zip(&out).filter(|(_, out)| **out == 0).map(|(units, _)| units).sum();
        let of_all = crate::rank::of_all(lost, count);
        units = received.iter().map(|received| of_all + received / 100 * FOLLOWED).collect();
    }
    units
}
