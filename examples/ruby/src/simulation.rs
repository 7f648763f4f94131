//! The main job: traces the objects, runs the kernel, writes back, and reports.

use std::io::Write;
use std::time::{Duration, Instant};

use example_program::{Output, Progress, say};
use ikra::World;
use ikra::trace::TraceWorld;

use crate::city::City;
use crate::model::{Actor, Town};
use crate::options::Options;
use crate::{Failure, check};

/// The updates of the progress bar.
const UPDATES: u32 = 50;

/// Runs the program.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let threads = options.machine.threads()?;
    // Before the work starts: an hour later would be too late to report a missing folder.
    let csv = options.csv.as_deref().map(Output::open).transpose()?;
    let new_city = || City::new(options.streets, options.actors, options.seed);
    let city = new_city();

    // From ordinary objects to a world: the actors, and the streets that they can reach.
    let (tracing, traced) = timed(|| Town::trace(&city.actors));
    let mut town = traced?;
    let streets = town.streets.len();
    // `Rc`s stay in this thread. The world alone goes to the threads of the pool.
    let world: &mut Town = &mut town;
    let (worker, ticking) = threads.install(|| simulate(world, options))?;
    let (writing, written) = timed(|| town.write_back());
    let written = written?;
    drop(town);

    let plain = options.check.then(|| {
        let city = new_city();
        let (time, ()) = timed(|| plain(&city, options));
        (city, time)
    });
    let (actors, ticks) = (options.actors, options.ticks);
    let moves = f64::from(actors) * f64::from(ticks);
    let (rate, moves) = (per_second(f64::from(ticks), ticking), per_second(moves, ticking));
    let mut report = format!(
        "{actors} actors on {streets} streets, {ticks} ticks, {worker}: {:.2} s\n{rate:.1} ticks/s, {moves:.3e} moves/s\n\
         traced in {:.0} ms, {written} objects written back in {:.0} ms\n",
        ticking.as_secs_f64(),
        1e3 * tracing.as_secs_f64(),
        1e3 * writing.as_secs_f64(),
    );
    if let Some((expected, time)) = plain {
        check::compare(&city, &expected)?;
        let rate = per_second(f64::from(ticks), time);
        report += &format!("the same as virtual calls of plain objects, bit by bit: these run at {rate:.1} ticks/s\n");
    }
    say(&report)?;
    if let Some(csv) = csv {
        write_csv(csv, &city)?;
    }
    Ok(())
}

/// The time that `work` takes, and its result.
fn timed<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let started = Instant::now();
    let result = work();
    (started.elapsed(), result)
}

fn per_second(count: f64, time: Duration) -> f64 {
    count / time.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// Runs all ticks. Returns a description of the place, and the time.
fn simulate(town: &mut Town, options: &Options) -> Result<(String, Duration), Failure> {
    let (place, weather, ticks) = (options.machine.place(), options.weather.of_model(), options.ticks);
    let worker = town.on(place).open()?;
    let mut progress = Progress::new("ticks", ticks);
    let every = ticks.div_ceil(UPDATES).max(1);
    let started = Instant::now();
    // Ticks outside, actors inside. One `repeat` would do: there are several for the progress bar.
    for done in (0..ticks).step_by(every as usize) {
        let count = every.min(ticks - done);
        town.on(place).repeat(count as usize, |tick| tick.execute(Actor::tick, weather))?;
        progress.show(done + count);
    }
    town.on(place).synchronize()?;
    progress.clear();
    Ok((worker, started.elapsed()))
}

/// The same as the plain program does it.
fn plain(city: &City, options: &Options) {
    let weather = options.weather.of_model();
    for _ in 0..options.ticks {
        for actor in &city.actors {
            actor.tick(weather);
        }
    }
}

/// Writes the final state of all actors, read from the ordinary objects.
fn write_csv(file: Output, city: &City) -> Result<(), Failure> {
    file.write(|file| {
        writeln!(file, "actor,class,street,progress,waits")?;
        (1..).zip(&city.actors).try_for_each(|(n, actor)| {
            let street = actor.street().borrow();
            writeln!(file, "{n},{},{},{},{}", actor.class(), street.name, actor.progress().get(), actor.waits())
        })
    })?;
    Ok(())
}
