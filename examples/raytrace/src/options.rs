//! Command-line options.

use std::path::PathBuf;

use clap::Parser;
use example_program::Machine;

/// Draws a scene by following light backwards, from each pixel through mirrors and glass to where it came from.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// What to draw: `default`, `many` (a thousand spheres and planes), or an OBJ file.
    #[arg(long, default_value = "default", value_parser = scene)]
    pub(crate) scene: SceneName,

    /// The picture's width and height in pixels.
    #[arg(long, default_value = "512x512", value_parser = size)]
    pub(crate) size: (u32, u32),

    /// Paths of light per pixel.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) samples: u32,

    /// How often light may bounce on its way.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) bounces: u32,

    /// Seed of the paths, and of the made-up scenes.
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,

    /// Ask all shapes for each ray, instead of those whose boxes it meets.
    #[arg(long)]
    pub(crate) list: bool,

    /// What to run on.
    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Fail if a pixel is brighter than the brightest light, or differs from what sequential code finds that asks all
    /// shapes; of the latter as many pixels as take a few seconds.
    #[arg(long)]
    pub(crate) check: bool,

    /// Write the picture.
    #[arg(long)]
    pub(crate) png: Option<PathBuf>,
}

/// What to draw.
#[derive(Clone, Debug)]
pub(crate) enum SceneName {
    Default,
    Many,
    File(PathBuf),
}

fn scene(text: &str) -> Result<SceneName, String> {
    Ok(match text {
        "" => return Err("no name".into()),
        "default" => SceneName::Default,
        "many" => SceneName::Many,
        path => SceneName::File(path.into()),
    })
}

fn size(text: &str) -> Result<(u32, u32), String> {
    const MOST: u32 = 16_384;
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| (1..=MOST).contains(number));
    let size = text.split_once('x').and_then(|(width, height)| Some((number(width)?, number(height)?)));
    size.ok_or_else(|| format!("two numbers from 1 to {MOST}, as 512x512, are expected"))
}
