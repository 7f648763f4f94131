//! Filters a picture, by a kernel that a GPU specialises for the filter.
#![forbid(unsafe_code)]

mod options;

use std::fs::File;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use example_program::{Output, Picture, ThreadsError, Unwritable};
use filter::model::{Pixel, Tap};
use filter::{Canvas, Unreadable, developed, filtered, made_up};
use ikra::prelude::*;
use ikra::{Place, World};
use options::Options;

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{}: {reason}", path.display())]
    Input { path: PathBuf, reason: io::Error },
    #[error(transparent)]
    Filter(#[from] Unreadable),
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error("pixel {x}, {y} has the light {found:?}, and {expected:?} by loops over slices")]
    Different { x: usize, y: usize, found: [f32; 3], expected: [f32; 3] },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Input { .. } | Self::Filter(_) => 2,
            Self::Threads(error) => error.code(),
            Self::Output(error) => error.code(),
            Self::Ikra(error) => example_program::error_code(error),
            Self::Different { .. } => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    example_program::end("filter", run(&options), Failure::code)
}

fn run(options: &Options) -> Result<(), Failure> {
    options.machine.threads()?.install(|| work(options))
}

fn work(options: &Options) -> Result<(), Failure> {
    // Before the work starts.
    let png = options.png.as_deref().map(Output::open).transpose()?;
    let picture = match &options.input {
        None => made_up(options.size.0, options.size.1),
        Some(path) => File::open(path)
            .and_then(|file| Picture::read(BufReader::new(file)))
            .map_err(|reason| Failure::Input { path: path.clone(), reason })?,
    };
    let taps = options.filter.taps(options.radius)?;
    let place = options.machine.place();
    let mut canvas = Canvas::of(&picture, &taps)?;
    let mut special = canvas.clone();
    let worker = canvas.on(place).open()?;
    println!("{} × {} pixels, {} factors, {worker}", picture.width(), picture.height(), taps.len());

    let time = passes(&mut canvas, place, &picture, options.passes)?;
    println!("{} passes: {:.3} ms each", options.passes, 1e3 * time);
    if place != Place::Host {
        special.on(place).specialize_for::<Tap>()?;
        // The first launch starts the compilation, in a world of its own.
        let mut first = Canvas::of(&picture, &taps)?;
        std::mem::swap(&mut first.pixels, &mut special.pixels);
        passes(&mut special, place, &picture, 1)?;
        let start = Instant::now();
        let kernels = special.cuda().specialized()?;
        let compiled = start.elapsed();
        std::mem::swap(&mut first.pixels, &mut special.pixels);
        let time = passes(&mut special, place, &picture, options.passes)?;
        println!("specialised: {:.3} ms each, compiled in {:.0} ms", 1e3 * time, 1e3 * compiled.as_secs_f64());
        for kernel in kernels {
            println!("{kernel}");
        }
        same(&special.light(), &canvas.light(), picture.width())?;
    }
    let light = canvas.light();
    if options.check {
        let before = Canvas::of(&picture, &taps)?.light();
        same(&light, &filtered(&before, picture.width(), &taps, options.passes), picture.width())?;
        println!("all pixels are the same by loops over slices");
    }
    if let Some(png) = png {
        developed(&light, picture.width()).write(png)?;
    }
    Ok(())
}

/// Filters a picture some times, and returns the seconds of a pass.
fn passes(canvas: &mut Canvas, place: Place, picture: &Picture, passes: u32) -> Result<f64, ikra::Error> {
    let size = (picture.width() as u32, picture.height() as u32);
    // Everything is there before the clock starts.
    canvas.on(place).over(0..0).execute(Pixel::filter, size)?;
    canvas.on(place).synchronize()?;
    let start = Instant::now();
    for _ in 0..passes {
        canvas.on(place).execute(Pixel::filter, size)?;
    }
    canvas.on(place).synchronize()?;
    Ok(start.elapsed().as_secs_f64() / f64::from(passes))
}

/// Compares the light of all pixels.
fn same(found: &[[f32; 3]], expected: &[[f32; 3]], width: usize) -> Result<(), Failure> {
    match found.iter().zip(expected).position(|(found, expected)| found != expected) {
        None => Ok(()),
        Some(n) => Err(Failure::Different { x: n % width, y: n / width, found: found[n], expected: expected[n] }),
    }
}
