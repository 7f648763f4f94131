//! What the command line says.

use ikra_workload_benches::inputs::Sizes;
use ikra_workload_benches::{Case, cases};

const USAGE: &str = "usage: ikra-workload-benches host | check | target/cuda/libbaselines.so [--small] [--steps N] [--samples N] [--csv FOLDER] [NAME …]";

/// What is asked for.
#[derive(Clone)]
pub(crate) struct Options {
    /// `host`, `check`, or the library.
    pub(crate) place: String,
    pub(crate) is_small: bool,
    /// At most so many, where steps are alike: of games, of traffic, of pictures.
    pub(crate) steps: Option<u32>,
    pub(crate) samples: u32,
    /// Where CSV files go.
    pub(crate) csv: Option<String>,
    /// Parts of names.
    pub(crate) names: Vec<String>,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let place = arguments.next().ok_or(USAGE)?;
        let mut options = Self { place, is_small: false, steps: None, samples: 3, csv: None, names: Vec::new() };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value; {USAGE}"));
            let number = |text: String| text.parse().map_err(|_| format!("`{text}` is not a number; {USAGE}"));
            match argument.as_str() {
                "--small" => options.is_small = true,
                "--steps" => options.steps = Some(number(value()?)?),
                "--samples" => options.samples = number(value()?)?,
                "--csv" => options.csv = Some(value()?),
                unknown if unknown.starts_with('-') => return Err(format!("unknown option {unknown}; {USAGE}")),
                _ => options.names.push(argument),
            }
        }
        Ok(options)
    }

    /// The workloads that are asked for.
    pub(crate) fn cases(&self) -> Vec<Case> {
        let mut sizes = if self.is_small { Sizes::SMALL } else { Sizes::PAPER };
        if let Some(steps) = self.steps {
            for of in [&mut sizes.life[2], &mut sizes.generations[2], &mut sizes.streets.steps, &mut sizes.rays.frames]
            {
                *of = steps.min(*of);
            }
        }
        let mut all = cases(&sizes);
        all.retain(|case| self.names.is_empty() || self.names.iter().any(|name| case.name.contains(name.as_str())));
        all
    }
}
