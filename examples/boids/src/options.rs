//! Command-line options.

use std::path::PathBuf;

use clap::Parser;
use example_program::{Machine, Saving};

use crate::model::Rules;

/// Simulates flocks of boids, which see the boids around them only.
///
/// Boids see as far as 1, in a box whose opposite sides are one.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// Number of boids.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) boids: u32,

    /// Number of time steps.
    #[arg(long, default_value_t = 300)]
    pub(crate) steps: u32,

    /// Number of dimensions.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=3))]
    pub(crate) dims: u8,

    /// Mean number of boids that a boid sees at the beginning; it sets the size of the box.
    #[arg(long, default_value_t = 20.0, value_parser = positive)]
    pub(crate) neighbours: f32,

    /// Length of a time step.
    #[arg(long, default_value_t = 0.02, value_parser = positive)]
    pub(crate) dt: f32,

    /// Seed of the positions and velocities at the beginning.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// What to run on.
    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Checkpoints.
    #[command(flatten)]
    pub(crate) saving: Saving,

    /// Write a picture of the boids after the last step; colours are headings.
    #[arg(long)]
    pub(crate) png: Option<PathBuf>,

    /// Write an animation of the run.
    #[arg(long)]
    pub(crate) gif: Option<PathBuf>,

    /// Compare with a plain sequential program, bit by bit.
    #[arg(long)]
    pub(crate) check: bool,
}

impl Options {
    /// The rules of the flock.
    pub(crate) fn rules(&self) -> Rules {
        let (boids, neighbours) = (f64::from(self.boids), f64::from(self.neighbours));
        let seen = if self.dims == 2 { std::f64::consts::PI } else { std::f64::consts::PI * 4.0 / 3.0 };
        let size = (boids * seen / neighbours).powf(1.0 / f64::from(self.dims)).max(1.0) as f32;
        Rules {
            radius: 1.0,
            apart: 0.4,
            separation: 0.3,
            alignment: 3.0,
            cohesion: 2.0,
            slowest: 1.0,
            fastest: 3.0,
            dt: self.dt,
            size,
        }
    }
}

fn positive(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        Ok(number) if number.is_finite() => Err("must be greater than 0".into()),
        _ => Err("not a finite number".into()),
    }
}
