//! Command-line options.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use example_program::Machine;
use wolfsheep::Parameters;

use crate::Failure;

/// Lets sheep eat grass and wolves eat sheep, on a field of cells.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// The declared size to begin with; the other options change it.
    #[arg(long, value_enum, default_value = "large")]
    model: Model,

    /// Cells from left to right and from top to bottom: 100x100.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<[u32; 2]>,

    /// Sheep at the start.
    #[arg(long, value_parser = clap::value_parser!(u32).range(..=100_000_000))]
    sheep: Option<u32>,

    /// Wolves at the start.
    #[arg(long, value_parser = clap::value_parser!(u32).range(..=100_000_000))]
    wolves: Option<u32>,

    /// Steps until grass has grown again.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    regrowth: Option<u32>,

    /// How likely a sheep has a child, per step.
    #[arg(long, value_name = "PROBABILITY", value_parser = probability)]
    sheep_reproduce: Option<f32>,

    /// How likely a wolf has a child, per step.
    #[arg(long, value_name = "PROBABILITY", value_parser = probability)]
    wolves_reproduce: Option<f32>,

    /// Number of steps.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(..=1_000_000_000))]
    pub(crate) steps: u32,

    /// Seed of all that happens by chance.
    #[arg(long, default_value_t = 42)]
    seed: u64,

    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Write the populations after each step.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Draw the populations of all steps as a diagram.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Draw the field after the last step, and the populations below it.
    #[arg(long, value_name = "FILE")]
    pub(crate) png: Option<PathBuf>,

    /// Draw the whole run.
    #[arg(long, value_name = "FILE")]
    pub(crate) gif: Option<PathBuf>,

    /// Write a page for browsers that plays the whole run.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Check after each step that a sequential program with the same random numbers has the same populations.
    #[arg(long)]
    pub(crate) check: bool,
}

/// A size of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Model {
    /// 25 x 25 cells, 60 sheep, 40 wolves.
    Small,
    /// 100 x 100 cells, 1,000 sheep, 500 wolves.
    Large,
    /// A hundred times as large.
    Huge,
}

/// The most cells of a field.
const MOST_CELLS: u64 = 1 << 28;

impl Options {
    /// The model's parameters.
    pub(crate) fn parameters(&self) -> Result<Parameters, Failure> {
        let model = match self.model {
            Model::Small => Parameters::small(self.seed),
            Model::Large => Parameters::large(self.seed),
            Model::Huge => Parameters::huge(self.seed),
        };
        let size = self.size.unwrap_or(model.size);
        if u64::from(size[0]) * u64::from(size[1]) > MOST_CELLS {
            let reason = format!("at most {MOST_CELLS} cells");
            return Err(Failure::Option { option: "--size", value: format!("{}x{}", size[0], size[1]), reason });
        }
        Ok(Parameters {
            size,
            sheep: self.sheep.unwrap_or(model.sheep),
            wolves: self.wolves.unwrap_or(model.wolves),
            regrowth: self.regrowth.unwrap_or(model.regrowth),
            sheep_reproduce: self.sheep_reproduce.unwrap_or(model.sheep_reproduce),
            wolves_reproduce: self.wolves_reproduce.unwrap_or(model.wolves_reproduce),
            ..model
        })
    }
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x').and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    sides.filter(|sides| sides.iter().all(|&side| side > 0)).ok_or_else(|| "a size such as 100x100 is expected".into())
}

fn probability(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 1 is expected".into())
}
