//! Gas on a lattice of nine directions, by the lattice Boltzmann method: loops of nine iterations over a local array.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;

/// The directions in which gas flows, and the fraction of resting gas in each.
pub const DIRECTIONS: [[f32; 2]; 9] =
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
pub const WEIGHTS: [f32; 9] =
    [4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0];
/// The direction opposite to each.
pub const BACK: [usize; 9] = [0, 3, 4, 1, 2, 7, 8, 5, 6];

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    pub is_wall: bool,
    #[inline_array]
    pub flow: [f32; 9],
    /// The source site of the gas in each direction.
    #[inline_array]
    pub before: [Link<Site>; 9],
}

#[soa_methods]
impl Site {
    /// Gas arrives, is reflected by walls, and relaxes elsewhere.
    #[kernel(snapshot(flow))]
    pub fn stream(&mut self, viscosity: f32) {
        let mut flow = [0.0; 9];
        for k in 0..9 {
            flow[k] = self.before.get(k).flow().get(k);
        }
        if self.is_wall {
            for k in 0..9 {
                self.flow[k] = flow[BACK[k]];
            }
            return;
        }
        let (mut density, mut x, mut y) = (0.0, 0.0, 0.0);
        for k in 0..9 {
            density += flow[k];
            x += flow[k] * DIRECTIONS[k][0];
            y += flow[k] * DIRECTIONS[k][1];
        }
        (x, y) = (x / density, y / density);
        // Two rates: one for the symmetric part of opposite flows, and one for their difference.
        for k in 0..9 {
            let [forth, back] = [flow[k], flow[BACK[k]]];
            let along = 3.0 * (DIRECTIONS[k][0] * x + DIRECTIONS[k][1] * y);
            let rest = WEIGHTS[k] * density * (1.0 + 0.5 * along * along - 1.5 * (x * x + y * y));
            let moved = WEIGHTS[k] * density * along;
            let even = (0.5 * (forth + back) - rest) / viscosity;
            let odd = (0.5 * (forth - back) - moved) / (2.0 - viscosity);
            self.flow[k] = forth - even - odd;
        }
    }
}

#[soa_world]
pub struct Lattice {
    pub sites: Objects<Site>,
}
