//! Command-line options.

use std::path::PathBuf;

use clap::Parser;
use example_program::Machine;
use filter::Kind;

/// Filters a picture.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// The picture, PNG with 8 bits for each of red, green and blue. By default, one is made up.
    #[arg(long)]
    pub(crate) input: Option<PathBuf>,

    /// The made-up picture's width and height in pixels.
    #[arg(long, default_value = "1024x768", value_parser = size)]
    pub(crate) size: (usize, usize),

    /// The filter: `blur`, `sharpen`, `edges`, `emboss`, or a file with rows of factors.
    #[arg(long, default_value = "blur", value_parser = kind)]
    pub(crate) filter: Kind,

    /// The distance of the farthest pixel that a filter with a name reads, in pixels.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=32))]
    pub(crate) radius: u32,

    /// How often the picture is filtered.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) passes: u32,

    /// What to run on.
    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Fail if a pixel differs from what loops over slices compute.
    #[arg(long)]
    pub(crate) check: bool,

    /// Write the picture.
    #[arg(long)]
    pub(crate) png: Option<PathBuf>,
}

fn kind(text: &str) -> Result<Kind, String> {
    Ok(match text {
        "" => return Err("no name".into()),
        "blur" => Kind::Blur,
        "sharpen" => Kind::Sharpen,
        "edges" => Kind::Edges,
        "emboss" => Kind::Emboss,
        path => Kind::File(path.into()),
    })
}

fn size(text: &str) -> Result<(usize, usize), String> {
    const MOST: usize = 16_384;
    let number = |text: &str| text.parse().ok().filter(|number| (1..=MOST).contains(number));
    let size = text.split_once('x').and_then(|(width, height)| Some((number(width)?, number(height)?)));
    size.ok_or_else(|| format!("two numbers from 1 to {MOST}, as 1024x768, are expected"))
}
