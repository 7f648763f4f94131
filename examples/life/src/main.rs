//! Conway's game of life on a torus: each cell has links to its eight neighbours, and one kernel makes a generation.
#![forbid(unsafe_code)]

mod model;
mod torus;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use example_program::{Machine, Output, Picture, Ranks, Saving, ThreadsError, Unsaved, Unwritable, say};
use ikra::prelude::*;

use model::{Cell, Torus, cell};

/// Plays Conway's game of life on a torus.
#[derive(Clone, Debug, Parser)]
#[command(version)]
struct Options {
    /// Cells from left to right.
    #[arg(long, default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=65536))]
    width: u32,

    /// Cells from top to bottom.
    #[arg(long, default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=65536))]
    height: u32,

    /// Number of generations.
    #[arg(long, default_value_t = 300)]
    steps: u32,

    /// What to run on.
    #[command(flatten)]
    machine: Machine,

    /// Checkpoints.
    #[command(flatten)]
    saving: Saving,

    /// Write a picture of the last generation.
    #[arg(long)]
    png: Option<PathBuf>,

    /// Compare the last generation with that of a plain sequential program.
    #[arg(long)]
    check: bool,
}

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error(transparent)]
    Unsaved(#[from] Unsaved),
    #[error("a plain program has other cells alive, the first of them {cell}")]
    Differs { cell: usize },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Threads(error) => error.code(),
            Self::Output(error) => error.code(),
            Self::Ikra(error) => example_program::error_code(error),
            Self::Differs { .. } | Self::Unsaved(_) => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    example_program::end("life", run(&options), Failure::code)
}

fn run(options: &Options) -> Result<(), Failure> {
    let ranks = options.machine.ranks()?;
    let threads = options.machine.threads()?;
    let png = options.png.as_deref().map(Output::open).transpose()?;
    threads.install(|| play(options, png, &ranks))
}

fn play(options: &Options, png: Option<Output>, ranks: &Ranks) -> Result<(), Failure> {
    let (width, height, place) = (options.width as usize, options.height as usize, options.machine.place());
    let mut saves = options.saving.open(ranks, format!("{width} × {height} cells"))?;
    let newest = saves.newest::<Torus>()?;
    let (mut torus, first) = newest.map_or_else(|| Ok((torus::random(width, height)?, 0)), Ok::<_, Failure>)?;
    let mut plain = if options.check { torus.cells.column(cell::alive).to_vec() } else { Vec::new() };
    ranks.share(&mut torus)?;
    let worker = torus.on(place).open()?;
    let before = torus.on(place).execute_and_reduce(Cell::count, (), Sum)?;
    let start = Instant::now();
    let mut done = first;
    while done < options.steps {
        let next = saves.next(done, options.steps);
        torus.on(place).repeat((next - done) as usize, |step| step.execute(Cell::live, ()))?;
        done = next;
        saves.write(&mut torus, done)?;
    }
    torus.on(place).synchronize()?;
    saves.end()?;
    let seconds = start.elapsed().as_secs_f64();
    let after = torus.on(place).execute_and_reduce(Cell::count, (), Sum)?;

    let steps = options.steps.saturating_sub(first);
    let per_second = f64::from(steps) / seconds.max(f64::MIN_POSITIVE);
    let mut lines = format!("{width} × {height} cells, {before} of them alive\n");
    if first > 0 {
        lines += &format!("from the checkpoint of generation {first} on\n");
    }
    lines += &format!("{after} alive after {steps} generations, {worker}: {seconds:.3} s\n");
    lines += &format!("{per_second:.0} generations/s, {:.3e} cells/s\n", per_second * (width * height) as f64);
    if let Some(traffic) = ranks.traffic() {
        lines += &format!("{traffic}\n");
    }
    let alive = torus.cells.column(cell::alive);
    if options.check {
        (0..steps).for_each(|_| plain = torus::next(&plain, width, height));
        if let Some(cell) = alive.iter().zip(&plain).position(|(one, other)| one != other) {
            return Err(Failure::Differs { cell });
        }
        lines += "the same as in a plain sequential program\n";
    }
    if let Some(png) = png {
        let mut picture = Picture::new(width, height, [16, 18, 24]);
        for n in (0..alive.len()).filter(|&n| alive[n]) {
            picture.put(n / height, n % height, [230, 220, 130]);
        }
        picture.write(png)?;
    }
    Ok(say(&lines)?)
}

#[cfg(test)]
mod tests {
    use ikra::Place;
    use ikra_cluster::Cluster;

    use super::*;

    /// The counts of other implementations, for the same generator and seed.
    #[test]
    fn as_many_cells_live_as_elsewhere() {
        // The large tori take long without optimisation.
        let sizes: &[_] = if cfg!(debug_assertions) {
            &[]
        } else {
            &[(2048, 2048, 300, (1_678_177, 269_553)), (1714, 1647, 300, (1_129_363, 178_965))]
        };
        for &(width, height, generations, counts) in sizes {
            let mut torus = torus::random(width, height).unwrap();
            let before = torus.execute_and_reduce(Cell::count, (), Sum);
            (0..generations).for_each(|_| torus.execute(Cell::live, ()));
            assert_eq!((before, torus.execute_and_reduce(Cell::count, (), Sum)), counts);
        }
    }

    #[test]
    fn each_rank_has_the_generation_of_a_plain_program() {
        for ranks in 1..5 {
            Cluster::threads(ranks, |cluster| {
                let (width, height) = (61, 47);
                let mut torus = torus::random(width, height).unwrap();
                let mut plain = torus.cells.column(cell::alive).to_vec();
                cluster.share(&mut torus).unwrap();
                for _ in 0..20 {
                    torus.on(Place::Cluster).execute(Cell::live, ()).unwrap();
                    plain = torus::next(&plain, width, height);
                }
                assert_eq!(torus.cells.column(cell::alive), plain);
            });
        }
    }
}
