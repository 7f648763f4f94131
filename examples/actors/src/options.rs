//! Command-line options.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use example_program::Machine;
use streets::City;

use crate::model;

/// What the weather is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Weather {
    /// All go as fast as they can.
    Sunny,
    /// Cars and buses keep 70 % of their speed, cyclists 85 %.
    Rainy,
    /// Cars and buses keep 40 % of their speed, cyclists 70 %.
    Snowy,
}

/// Moves cars, buses, cyclists and pedestrians through a street network.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// Number of actors.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub(crate) actors: u32,

    /// Number of ticks of a second each.
    #[arg(long, default_value_t = 1000)]
    pub(crate) ticks: u32,

    /// The weather.
    #[arg(long, value_enum, default_value = "sunny")]
    weather: Weather,

    /// The network: GraphML as OSMnx writes it, OpenStreetMap's PBF or XML, or lines FROM TO LENGTH; it may be compressed
    /// by gzip or bzip2. By default, a made-up city.
    #[arg(long, visible_alias = "osm", value_name = "FILE")]
    pub(crate) network: Option<PathBuf>,

    /// The made-up city: blocks, small, medium, large or denver.
    #[arg(long, default_value = "medium", conflicts_with = "network")]
    pub(crate) city: City,

    /// Seed of the made-up city, and of all that happens by chance.
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u32,

    /// What to run on.
    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Draw where all are after the last tick.
    #[arg(long)]
    pub(crate) png: Option<PathBuf>,

    /// Draw the whole run.
    #[arg(long)]
    pub(crate) gif: Option<PathBuf>,

    /// Write a page for browsers that plays the whole run: pan, zoom, choose the time.
    #[arg(long)]
    pub(crate) html: Option<PathBuf>,

    /// Write mean speeds after each tick, in kilometres per hour.
    #[arg(long)]
    pub(crate) csv: Option<PathBuf>,

    /// Check after each tick, not only after the last, that all are there and on their streets.
    #[arg(long)]
    pub(crate) check: bool,
}

impl Options {
    /// The weather, as the model has it.
    pub(crate) fn weather(&self) -> model::Weather {
        match self.weather {
            Weather::Sunny => model::Weather::Sunny,
            Weather::Rainy => model::Weather::Rainy,
            Weather::Snowy => model::Weather::Snowy,
        }
    }
}
