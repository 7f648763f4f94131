//! The main job: integrates the bodies and reports.

use std::time::Instant;

use example_program::{Output, Progress, Ranks};
use ikra::World;

use crate::model::{Body, Record, Sim};
use crate::options::Options;
use crate::{Failure, input, picture, plummer, steps};

/// The number of steps between updates of the progress bar.
const STEPS_AT_ONCE: u32 = 100;

/// Runs the program.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let ranks = options.machine.ranks()?;
    let threads = options.machine.threads()?;
    // Before the work starts: an hour later would be too late to report a missing folder.
    let files = Files {
        png: options.png.as_deref().map(Output::open).transpose()?,
        csv: options.csv.as_deref().map(Output::open).transpose()?,
    };
    let bodies = match &options.input {
        Some(path) => input::read(path, options.dims)?,
        None => plummer::sphere(options.bodies, options.dims, options.seed),
    };
    threads.install(|| simulate(bodies, files, options, &ranks))
}

/// The files to write.
struct Files {
    png: Option<Output>,
    csv: Option<Output>,
}

fn simulate(bodies: Vec<Body>, files: Files, options: &Options, ranks: &Ranks) -> Result<(), Failure> {
    let Options { steps, dt, softening, .. } = *options;
    let softening2 = softening * softening;
    let mut saves = options.saving.open(ranks, run_name(options, bodies.len()))?;
    let (mut sim, first) = saves.newest::<Sim>()?.unwrap_or_else(|| (Sim::new(), 0));
    let record = match sim.records.links().next() {
        Some(record) => record,
        None => {
            sim.bodies.extend(bodies)?;
            sim.records.push(Record::default())?
        }
    };
    ranks.share(&mut sim)?;
    let mut sim = sim.on(options.machine.place());
    let worker = sim.open()?;
    if first == 0 {
        steps::start(&mut sim, softening2, record)?;
    }
    let start = sim.world().get(record).start();

    let mut log = files.csv.map(|file| file.rows("step,time,energy,drift")).transpose()?;
    if let (Some(log), 0) = (&mut log, first) {
        log.write(format_args!("0,0,{start},0"))?;
    }
    let mut progress = Progress::new("steps", steps);
    let started = Instant::now();
    let mut done = first;
    while done < steps {
        let next = saves.next(done, steps);
        let at_once = if log.is_some() { 1 } else { STEPS_AT_ONCE.min(next - done) };
        steps::steps(&mut sim, at_once, dt, softening2, record)?;
        done += at_once;
        if let Some(log) = &mut log {
            let energy = sim.world().get(record).energy();
            let drift = relative(energy - start, start);
            log.write(format_args!("{done},{},{energy},{drift}", f64::from(done) * dt))?;
        }
        if done == next {
            saves.write(sim.world(), done)?;
        }
        progress.show(done);
    }
    sim.synchronize()?;
    saves.end()?;
    let seconds = started.elapsed().as_secs_f64();
    let (drift, strongest) = (sim.world().get(record).drift(), sim.world().get(record).strongest());
    let worst = relative(drift, start).abs();
    progress.clear();
    if let Some(log) = log {
        log.finish()?;
    }

    let limit = drift_limit(strongest, dt, softening);
    let n = sim.world().bodies.len() as f64;
    let steps = steps.saturating_sub(first);
    let per_second = f64::from(steps) / seconds.max(f64::MIN_POSITIVE);
    if first > 0 {
        println!("from the checkpoint of step {first} on");
    }
    println!("{n} bodies, {steps} steps of {dt}, {worker}: {seconds:.2} s");
    println!("{per_second:.1} steps/s, {:.3e} interactions/s", per_second * n * n);
    println!("largest relative energy drift {worst:.2e} (leap-frog allows {limit:.2e} at this step length)");
    if let Some(png) = files.png {
        picture::draw(sim.world().bodies.column(crate::model::body::pos)).write(png)?;
    }
    if options.check && worst > limit {
        return Err(Failure::Drift { drift: worst, limit });
    }
    Ok(())
}

/// The options that a run keeps when it goes on from a checkpoint.
fn run_name(options: &Options, bodies: usize) -> String {
    let Options { dt, softening, dims, seed, .. } = *options;
    let from = options.input.as_ref().map_or(format!("seed {seed}"), |path| path.display().to_string());
    format!("{bodies} bodies in {dims} dimensions from {from}, --dt {dt}, --softening {softening}")
}

fn relative(difference: f64, whole: f64) -> f64 {
    if whole == 0.0 { difference } else { difference / whole.abs() }
}

/// The largest relative change of energy that leap-frog allows.
///
/// The method is symplectic: the error of the energy does not grow, but oscillates. Its amplitude is (ω dt)² / 8 for an
/// oscillation of angular frequency ω. The fastest possible oscillation is that of a body that the strongest observed
/// acceleration a pulls back over one softening length ε: ω² = a / ε. Rounding adds to the error.
fn drift_limit(strongest: f64, dt: f64, softening: f64) -> f64 {
    const ROUNDING: f64 = 1e-11;
    if softening == 0.0 { f64::INFINITY } else { strongest / softening * dt * dt / 8.0 + ROUNDING }
}
