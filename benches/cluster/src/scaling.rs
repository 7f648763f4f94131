//! A model of many ranks, each with as many objects: what exchanges cost beside the kernels.
//!
//! Assumptions: a rank works for its objects as long as one rank alone does. A message takes a latency and its bytes over the
//! bandwidth, and a rank sends or receives one message at a time. Packing is part of the bandwidth. Nothing overlaps.

use ikra_baselines::table::{row, table};

/// Bytes per microsecond that a rank sends or receives: about 100 Gbit/s, less what packing takes.
const BANDWIDTH: f64 = 8_000.0;
/// Bytes of a boid that others read: position and velocity.
const BOID: f64 = 24.0;

/// Microseconds of a message.
fn message(bytes: f64, latency: f64) -> f64 {
    latency + bytes / BANDWIDTH
}

/// The time of a generation with this many ranks, if each exchanges ghosts with two others.
fn near(own: f64, ghosts: f64, ranks: usize, latency: f64) -> f64 {
    let neighbours = ranks.saturating_sub(1).min(2) as f64;
    own + 2.0 * neighbours * message(ghosts, latency)
}

/// The time of a step with this many ranks, if each collects whole columns of all others.
fn far(own: f64, objects: f64, ranks: usize, latency: f64) -> f64 {
    own + 2.0 * (ranks - 1) as f64 * message(objects * BOID, latency)
}

/// Prints the part of the time that kernels take, for up to 1,024 ranks: `own` microseconds for a rank's torus of
/// `side` × `side` cells, or for as many boids.
pub(crate) fn show(own: f64, side: usize, latency: f64) {
    table(&["ranks", "ghosts: a row of cells", "whole columns"], 0);
    for ranks in (0..=10).map(|n| 1_usize << n) {
        let efficiency = |time: f64| format!("{:.2}", own / time);
        let (ghosts, objects) = (side as f64, (side * side) as f64);
        row(&[&ranks, &efficiency(near(own, ghosts, ranks, latency)), &efficiency(far(own, objects, ranks, latency))]);
    }
}
