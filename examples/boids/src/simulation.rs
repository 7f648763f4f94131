//! The main job: lets the boids fly, and reports.

use std::time::{Duration, Instant};

use example_program::{Output, Progress, Ranks};
use ikra::World;
use ikra::rng::Random;

use crate::model::{Boid, Rules, Sky, boid};
use crate::options::Options;
use crate::picture::Animation;
use crate::steps::Cells;
use crate::{Failure, picture, plain, steps};

/// The most pictures of an animation.
const MOST_FRAMES: u32 = 200;

/// Runs the program.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let ranks = options.machine.ranks()?;
    let threads = options.machine.threads()?;
    // Before the work starts: an hour later would be too late to report a missing folder.
    let files = Files {
        png: options.png.as_deref().map(Output::open).transpose()?,
        gif: options.gif.as_deref().map(Output::open).transpose()?,
    };
    threads.install(|| simulate(files, options, &ranks))
}

/// The files to write.
struct Files {
    png: Option<Output>,
    gif: Option<Output>,
}

/// Boids at random positions, with random headings.
fn start(options: &Options, rules: &Rules) -> impl Iterator<Item = Boid> {
    let (seed, dims, size, speed) = (options.seed, usize::from(options.dims), rules.size, rules.slowest);
    (0..options.boids).map(move |n| {
        let mut random = Random::new(seed, n, 0);
        let (mut pos, mut vel) = ([0.0; 3], [0.0; 3]);
        for d in 0..dims {
            pos[d] = random.uniform_f32() * size;
            vel[d] = random.normal_f32();
        }
        let length = vel.iter().map(|v| v * v).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        Boid { pos, vel: vel.map(|v| v / length * speed), acc: [0.0; 3] }
    })
}

fn simulate(files: Files, options: &Options, ranks: &Ranks) -> Result<(), Failure> {
    let (rules, steps) = (options.rules(), options.steps);
    let cells = Cells::new(options.dims, &rules);
    let Options { boids, dims, seed, .. } = options;
    let mut saves = options.saving.open(ranks, format!("{boids} boids, {dims} dimensions, seed {seed}, {rules:?}"))?;
    let (mut sky, first) = match saves.newest::<Sky>()? {
        Some(newest) => newest,
        None => {
            let mut sky = Sky::new();
            sky.boids.extend(start(options, &rules))?;
            (sky, 0)
        }
    };
    let mut plain: Vec<Boid> = if options.check { sky.boids.iter().collect() } else { Vec::new() };
    ranks.share(&mut sky)?;
    let place = options.machine.place();
    let worker = sky.on(place).open()?;
    let mut animation = files.gif.map(|file| (Animation::new(), file));
    let every = steps.div_ceil(MOST_FRAMES).max(1);

    let mut progress = Progress::new("steps", steps);
    let mut computing = Duration::ZERO;
    let mut next = saves.next(first, steps);
    for step in first + 1..=steps {
        let started = Instant::now();
        steps::step(&mut sky.on(place), cells, rules)?;
        computing += started.elapsed();
        if let Some((animation, _)) = animation.as_mut().filter(|_| step % every == 0) {
            animation.frame(&shown(&sky), rules.size);
        }
        if options.check {
            plain::step(&mut plain, cells, &rules);
            check(&sky, &plain, step)?;
        }
        if step == next {
            saves.write(&mut sky, step)?;
            next = saves.next(step, steps);
        }
        progress.show(step);
    }
    saves.end()?;
    sky.on(place).synchronize()?;
    progress.clear();

    let steps = steps.saturating_sub(first);
    let seconds = computing.as_secs_f64().max(f64::MIN_POSITIVE);
    let boids = f64::from(options.boids);
    println!("{boids} boids in {} dimensions, {steps} steps of {}, {worker}: {seconds:.2} s", options.dims, rules.dt);
    println!("{:.1} steps/s, {:.3e} boids/s", f64::from(steps) / seconds, boids * f64::from(steps) / seconds);
    println!("order {:.3}: 1 if all fly in one direction, near 0 if in all", order(sky.boids.column(boid::vel)));
    if options.check {
        println!("the same as a plain sequential program, bit by bit");
    }
    if let Some(png) = files.png {
        picture::draw(&shown(&sky), rules.size).write(png)?;
    }
    if let Some((animation, gif)) = animation {
        animation.write(gif)?;
    }
    Ok(())
}

/// Positions and velocities.
fn shown(sky: &Sky) -> Vec<([f32; 3], [f32; 3])> {
    let (pos, vel) = (sky.boids.column(boid::pos), sky.boids.column(boid::vel));
    pos.iter().copied().zip(vel.iter().copied()).collect()
}

/// The length of the mean heading.
fn order(velocities: &[[f32; 3]]) -> f64 {
    let mut sum = [0.0; 3];
    for vel in velocities {
        let length = vel.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        (0..3).for_each(|d| sum[d] += f64::from(vel[d]) / length);
    }
    sum.iter().map(|s| s * s).sum::<f64>().sqrt() / velocities.len() as f64
}

/// Compares with the plain program.
fn check(sky: &Sky, plain: &[Boid], step: u32) -> Result<(), Failure> {
    let bits = |vector: [f32; 3]| vector.map(f32::to_bits);
    for (n, (pos, vel)) in shown(sky).into_iter().enumerate() {
        if (bits(pos), bits(vel)) != (bits(plain[n].pos), bits(plain[n].vel)) {
            return Err(Failure::Differs { step, boid: n, found: pos, expected: plain[n].pos });
        }
    }
    Ok(())
}
