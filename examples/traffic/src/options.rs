//! Command-line options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use example_program::Machine;
use streets::City;
use traffic::{Lights, Parameters};

/// Lets cars drive through a street network, cell by cell (Nagel and Schreckenberg's model).
#[derive(Clone, Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunOptions,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Command {
    /// Measures the flow on a ring road at all densities: the fundamental diagram.
    Ring(RingOptions),
}

/// Options of a run in a city.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunOptions {
    /// Number of cars; by default 5000, or one for every four cells if these are fewer.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub(crate) cars: Option<u32>,

    /// Number of steps of a second each.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(..=1_000_000_000))]
    pub(crate) steps: u32,

    /// The network: GraphML as OSMnx writes it, OpenStreetMap's PBF or XML, or lines FROM TO LENGTH; it may be compressed
    /// by gzip or bzip2. By default, a made-up city.
    #[arg(long, visible_alias = "network", value_name = "FILE")]
    pub(crate) osm: Option<PathBuf>,

    /// The made-up city: blocks, small, medium, large or denver.
    #[arg(long, default_value = "small", conflicts_with = "osm")]
    pub(crate) city: City,

    /// Seed of the made-up city, and of all that happens by chance.
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,

    /// How likely a car dawdles, per step.
    #[arg(long, default_value_t = 0.2, value_parser = probability)]
    randomisation: f32,

    /// Metres per cell.
    #[arg(long, value_name = "METRES", default_value_t = 5.0, value_parser = metres)]
    cell_length: f32,

    /// How traffic lights work.
    #[arg(long, value_enum, default_value = "smart")]
    lights: LightsName,

    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Draw the map after the last step.
    #[arg(long, value_name = "FILE")]
    pub(crate) png: Option<PathBuf>,

    /// Draw the whole run.
    #[arg(long, value_name = "FILE")]
    pub(crate) gif: Option<PathBuf>,

    /// Write a page for browsers that plays the whole run: pan, zoom, choose the time.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Write what all cars do together after each step: mean speed and its deviation in km/h, the share of cars that
    /// stand, the flow in cars per hour, the density in cars per kilometre of lane.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Write cells, lights and cars at the start, for programs that do the same by other means.
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Option<PathBuf>,

    /// Check after each step that no two cars are in a cell, none is lost, too fast, off the road or past a red light,
    /// and one street per junction has green.
    #[arg(long)]
    pub(crate) check: bool,
}

impl RunOptions {
    /// The model's parameters, with so many cars.
    pub(crate) fn parameters(&self, cars: u32) -> Parameters {
        Parameters {
            cars,
            seed: self.seed,
            randomisation: self.randomisation,
            cell_length: self.cell_length,
            lights: match self.lights {
                LightsName::Smart => Lights::Smart,
                LightsName::RoundRobin => Lights::RoundRobin,
            },
            ..Parameters::default()
        }
    }
}

/// How traffic lights work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LightsName {
    /// Green at once for the only street that cars come from.
    Smart,
    /// Each street has green in turn.
    RoundRobin,
}

/// Options of the fundamental diagram.
#[derive(Args, Clone, Debug)]
pub(crate) struct RingOptions {
    /// Cells of the ring.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(10..=10_000_000))]
    pub(crate) cells: u32,

    /// The largest velocity, in cells per step.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=i64::from(Parameters::MOST_VELOCITY)))]
    pub(crate) max_velocity: u32,

    /// How likely a car dawdles, per step.
    #[arg(long, default_value_t = 0.2, value_parser = probability)]
    pub(crate) randomisation: f32,

    /// Number of densities, from 0 to 1.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub(crate) densities: u32,

    /// Steps that are measured at each density, after as many that are not.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) steps: u32,

    /// Seed of all that happens by chance.
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Draw the diagram.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Write the diagram as a table: density in cars per cell, flow in cars per step, velocity in cells per step, and the
    /// share of cars that stand.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
}

fn probability(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 1 is expected".into())
}

fn metres(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (1.0..=1000.0).contains(number));
    number.ok_or_else(|| "a number from 1 to 1000 is expected".into())
}
