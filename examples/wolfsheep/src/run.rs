//! The main job: lets the animals live, checks and reports.

use std::time::{Duration, Instant};

use example_program::{Output, Progress, say};
use ikra::World;
use wolfsheep::{Counts, Field, Parameters, Twin};

use crate::options::Options;
use crate::page::Page;
use crate::picture::{Animation, field_and_populations};
use crate::{Failure, chart};

/// The largest number of pictures in an animation, and on a page.
const FRAMES: u32 = 300;

/// The files to write.
struct Files {
    csv: Option<Output>,
    svg: Option<Output>,
    png: Option<Output>,
    gif: Option<Output>,
    html: Option<Output>,
}

/// Runs the program.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let parameters = options.parameters()?;
    let threads = options.machine.threads()?;
    // Before the work starts: an hour later would be too late to report a missing folder.
    let files = Files {
        csv: options.csv.as_deref().map(Output::open).transpose()?,
        svg: options.svg.as_deref().map(Output::open).transpose()?,
        png: options.png.as_deref().map(Output::open).transpose()?,
        gif: options.gif.as_deref().map(Output::open).transpose()?,
        html: options.html.as_deref().map(Output::open).transpose()?,
    };
    threads.install(|| simulate(&parameters, files, options))
}

fn simulate(parameters: &Parameters, files: Files, options: &Options) -> Result<(), Failure> {
    let (steps, place) = (options.steps, options.machine.place());
    let mut field = Field::new(parameters)?;
    let mut twin = options.check.then(|| Twin::new(parameters));
    let worker = field.world.on(place).open()?;
    let mut history = vec![field.counts()];
    let mut log = files.csv.map(|file| file.rows("step,sheep,wolves,grass")).transpose()?;
    let mut animation = files.gif.map(|file| (Animation::new(&field, parameters), file));
    let mut page = files.html.map(|file| (Page::new(&field, parameters), file));
    let stride = steps.div_ceil(FRAMES).max(1);

    let mut progress = Progress::new("steps", steps);
    let mut computing = Duration::ZERO;
    for step in 0..=steps {
        if step > 0 {
            let start = Instant::now();
            field.step(place)?;
            computing += start.elapsed();
            history.push(field.counts());
        }
        let counts = history[history.len() - 1];
        if let Some(twin) = &mut twin {
            if step > 0 {
                twin.step();
            }
            check(step, counts, twin.counts())?;
        }
        if let Some(log) = &mut log {
            log.write(format_args!("{step},{},{},{}", counts.sheep, counts.wolves, counts.grass))?;
        }
        if step > 0 && step % stride == 0 {
            if let Some((animation, _)) = &mut animation {
                animation.frame(&field);
            }
            if let Some((page, _)) = &mut page {
                page.frame(&field);
            }
        }
        progress.show(step);
    }
    progress.clear();
    if let Some(log) = log {
        log.finish()?;
    }
    if let Some(file) = files.svg {
        file.write(|file| std::io::Write::write_all(file, chart::draw(&history).as_bytes()))?;
    }
    if let Some(file) = files.png {
        field_and_populations(&field, parameters, &history).write(file)?;
    }
    if let Some((animation, file)) = animation {
        file.write(|file| animation.write(file))?;
    }
    if let Some((page, file)) = page {
        file.write(|file| page.write(file, &history, stride))?;
    }
    Ok(say(&report(parameters, &history, &worker, computing, options.check))?)
}

/// Compares the populations with those of the sequential program.
fn check(step: u32, found: Counts, expected: Counts) -> Result<(), Failure> {
    if found == expected { Ok(()) } else { Err(Failure::Differs { step, found, expected }) }
}

/// The final report.
fn report(parameters: &Parameters, history: &[Counts], worker: &str, computing: Duration, is_checked: bool) -> String {
    let [width, height] = parameters.size;
    let steps = history.len() - 1;
    let animals: usize = history[..steps].iter().map(|counts| counts.sheep + counts.wolves).sum();
    let seconds = computing.as_secs_f64();
    let mut lines = format!("{width} x {height} cells, {steps} steps, {worker}: {seconds:.3} s\n");
    if animals > 0 {
        lines += &format!("{:.1} ns per animal and step\n", seconds * 1e9 / animals as f64);
    }
    lines += &format!("at the start {}\nat the end {}\n", history[0], history[steps]);
    if is_checked {
        lines += "a sequential program has the same populations after each step\n";
    }
    lines
}
