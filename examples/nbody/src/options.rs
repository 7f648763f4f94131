//! Command-line options.

use std::path::PathBuf;

use clap::Parser;
use example_program::{Machine, Saving};

/// Simulates bodies that attract each other, by leap-frog integration over all pairs.
///
/// Units are such that the gravitational constant is 1.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// Number of bodies of the Plummer sphere that the simulation starts with.
    #[arg(long, default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=10_000_000), conflicts_with = "input")]
    pub(crate) bodies: u32,

    /// Number of time steps.
    #[arg(long, default_value_t = 200)]
    pub(crate) steps: u32,

    /// Length of a time step.
    #[arg(long, default_value_t = 0.01, value_parser = positive)]
    pub(crate) dt: f64,

    /// Length over which each mass is smoothed out.
    #[arg(long, default_value_t = 0.05, value_parser = not_negative)]
    pub(crate) softening: f64,

    /// Number of dimensions: in 2, all bodies stay in a plane.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3))]
    pub(crate) dims: u8,

    /// Seed of the Plummer sphere.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// What to run on.
    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Where to save the run.
    #[command(flatten)]
    pub(crate) saving: Saving,

    /// Start with the bodies of this CSV file, one per row: mass,x,y,z,vx,vy,vz; or, in two
    /// dimensions, mass,x,y,vx,vy. A first row with these names is optional.
    #[arg(long)]
    pub(crate) input: Option<PathBuf>,

    /// Write a picture of the bodies after the last step.
    #[arg(long)]
    pub(crate) png: Option<PathBuf>,

    /// Write the energy after each step: of the later ones only, if the run goes on from a checkpoint.
    #[arg(long)]
    pub(crate) csv: Option<PathBuf>,

    /// Fail if the energy drifts by more than the method allows.
    #[arg(long)]
    pub(crate) check: bool,
}

fn number(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err("not a finite number".into()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match number(text)? {
        number if number > 0.0 => Ok(number),
        _ => Err("must be greater than 0".into()),
    }
}

fn not_negative(text: &str) -> Result<f64, String> {
    match number(text)? {
        number if number >= 0.0 => Ok(number),
        _ => Err("must not be negative".into()),
    }
}
