//! Command-line options.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use example_program::Machine;

use crate::model;

/// Moves cars, buses and pedestrians, which are ordinary objects in `Rc`s.
///
/// The program traces them into a world, runs one kernel of a trait for all of them, many times, and writes the results
/// back into the same objects.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// Number of actors.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) actors: u32,

    /// Number of streets.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) streets: u32,

    /// Number of ticks, of one second each.
    #[arg(long, default_value_t = 1000)]
    pub(crate) ticks: u32,

    /// The weather.
    #[arg(long, value_enum, default_value_t = Weather::Rainy)]
    pub(crate) weather: Weather,

    /// Seed of all random numbers.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// What to run on.
    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Write the street and the place of each actor after the last tick.
    #[arg(long)]
    pub(crate) csv: Option<PathBuf>,

    /// Compare all objects with those of the plain program, bit by bit.
    ///
    /// The plain program makes equal objects, and calls a virtual method of each in each tick.
    #[arg(long)]
    pub(crate) check: bool,
}

/// The weather.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Weather {
    Sunny,
    Rainy,
}

impl Weather {
    /// The weather in the model.
    pub(crate) fn of_model(self) -> model::Weather {
        match self {
            Self::Sunny => model::Weather::Sunny,
            Self::Rainy => model::Weather::Rainy,
        }
    }
}
