//! Times one world on several ranks beside one place.
//!
//! ```sh
//! ikra-cluster-benches gpus 2 16384 50          # GPUs, side of the torus, generations; one process, a rank per GPU
//! ikra-cluster-benches flock 2 256 10           # GPUs, boids along the edge of a cube, steps
//! ikra-cluster-benches orders 1088092           # what ranks exchange, for a network with so many junctions
//! ikra-cluster-benches threads 2 2048 100       # one process with so many threads
//! mpirun -n 2 ikra-cluster-benches ranks 1 2048 100   # threads of each rank; built with the feature `mpi`
//! ikra-cluster-benches model 14000 2048 2       # microseconds per generation and side for each rank, latency
//! ```

mod model;
mod orders;
mod scaling;

use std::process::ExitCode;
use std::time::Instant;

use ikra::Place;
use ikra::prelude::*;
use ikra_baselines::median;
use ikra_baselines::table::{row, table};
use ikra_cluster::Cluster;

use model::flock::{Boid, RADIUS, SPACING, Sky};
use model::life::{Cell, Torus};

/// How many times each number of steps is timed.
const SAMPLES: usize = 5;

/// The measurement of one place.
struct Measured {
    /// Microseconds per step.
    time: f64,
    /// A number for the state at the end: a reduction.
    end: u64,
    /// Microseconds of that.
    reduction: f64,
    /// Bytes that a rank gets from others per step.
    bytes: f64,
}

/// A program for one place or many.
trait Program: World {
    /// The world for a size.
    fn of(size: usize) -> Result<Self, ikra::Error>;
    /// Runs steps, without waiting for the last one.
    fn run(&mut self, place: Place, steps: usize) -> Result<(), ikra::Error>;
    /// A number for its state.
    fn end(&mut self, place: Place) -> Result<u64, ikra::Error>;
}

/// Generations on a torus, given the length of its side.
impl Program for Torus {
    fn of(side: usize) -> Result<Self, ikra::Error> {
        let mut torus = Self::new();
        torus.construct(side * side, Cell::spawn, side as u32)?;
        Ok(torus)
    }

    fn run(&mut self, place: Place, steps: usize) -> Result<(), ikra::Error> {
        self.on(place).repeat(steps, |step| step.execute(Cell::live, ()))
    }

    fn end(&mut self, place: Place) -> Result<u64, ikra::Error> {
        self.on(place).execute_and_reduce(Cell::count, (), Sum)
    }
}

/// Flights in a cube, given the number of boids along each edge.
impl Program for Sky {
    fn of(edge: usize) -> Result<Self, ikra::Error> {
        let mut sky = Self::new();
        sky.construct(edge.pow(3), Boid::hatch, edge as u32)?;
        Ok(sky)
    }

    fn run(&mut self, place: Place, steps: usize) -> Result<(), ikra::Error> {
        let side = (self.boids.len() as f32).cbrt().round() * SPACING;
        let grid = ikra::Grid::new([0.0; 3], [side; 3], RADIUS).periodic();
        for _ in 0..steps {
            let near = self.on(place).group_by(Boid::place, grid, ())?;
            self.on(place).execute(Boid::look, &near)?;
            self.on(place).execute(Boid::fly, side)?;
        }
        Ok(())
    }

    fn end(&mut self, place: Place) -> Result<u64, ikra::Error> {
        self.on(place).execute_and_reduce(Boid::mark, (), Sum)
    }
}

/// Runs steps at a place.
fn measure(
    program: &mut impl Program,
    place: Place,
    steps: usize,
    sent: impl Fn() -> u64,
) -> Result<Measured, ikra::Error> {
    program.run(place, 3)?;
    program.on(place).synchronize()?;
    let (mut samples, before) = (Vec::new(), sent());
    for _ in 0..SAMPLES {
        let start = Instant::now();
        program.run(place, steps)?;
        program.on(place).synchronize()?;
        samples.push(start.elapsed().as_secs_f64() * 1e6 / steps as f64);
    }
    let bytes = (sent() - before) as f64 / (SAMPLES * steps) as f64;
    let (mut end, mut reductions) = (program.end(place)?, Vec::new());
    for _ in 0..SAMPLES {
        // What is reduced has changed.
        program.run(place, 1)?;
        program.on(place).synchronize()?;
        let start = Instant::now();
        end = program.end(place)?;
        reductions.push(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(Measured { time: median(samples), end, reduction: median(reductions), bytes })
}

fn show(name: &str, ranks: usize, measured: &Measured, one: f64) {
    let Measured { time, end, reduction, bytes } = measured;
    let cells = [time, &(one / time), bytes, reduction].map(|number| format!("{number:.2}"));
    row(&[&name, &ranks, &cells[0], &cells[1], &cells[2], &cells[3], end]);
}

/// One GPU without ranks, and one or more with a rank each.
fn gpus<P: Program>(name: &str, most: usize, size: usize, steps: usize) -> Result<(), ikra::Error> {
    println!("{name} {size}");
    table(
        &["place", "ranks", "microseconds per step", "of one GPU", "bytes that a rank gets", "a reduction", "end"],
        1,
    );
    let alone = measure(&mut P::of(size)?, Place::Gpu(0), steps, || 0)?;
    show("GPU", 1, &alone, alone.time);
    let counts = (0..).map(|n| 1 << n).take_while(|&ranks| ranks <= most);
    for ranks in counts {
        let measured = Cluster::threads(ranks, |cluster| {
            let mut program = P::of(size)?;
            cluster.share_at(&mut program, Place::Gpu(cluster.rank()))?;
            measure(&mut program, Place::Cluster, steps, || cluster.traffic().bytes + cluster.traffic().bytes_across)
        });
        let measured = measured.into_iter().next().unwrap_or_else(|| unreachable!("there is a rank"))?;
        assert_eq!(measured.end, alone.end, "{ranks} ranks");
        show("GPU per rank", ranks, &measured, alone.time);
    }
    Ok(())
}

/// One process with some threads.
fn threads(threads: usize, side: usize, steps: usize) -> Result<(), ikra::Error> {
    with_threads(threads, || {
        let measured = measure(&mut Torus::of(side)?, Place::Host, steps, || 0)?;
        println!("{threads} threads, {side}²: {:.1} us, {} alive", measured.time, measured.end);
        Ok(())
    })
}

/// Ranks that `mpirun` started, each with some threads.
#[cfg(feature = "mpi")]
fn ranks(threads: usize, side: usize, steps: usize) -> Result<(), ikra::Error> {
    let Some(cluster) = Cluster::mpi() else { unreachable!("MPI is started once") };
    with_threads(threads, || {
        let mut torus = Torus::of(side)?;
        cluster.share(&mut torus)?;
        let measured = measure(&mut torus, Place::Cluster, steps, || cluster.traffic().bytes)?;
        if cluster.is_first() {
            let Measured { time, end, bytes, .. } = measured;
            println!(
                "{} ranks of {threads} threads, {side}²: {time:.1} us, {bytes:.0} bytes, {end} alive",
                cluster.ranks()
            );
        }
        Ok(())
    })
}

#[cfg(not(feature = "mpi"))]
fn ranks(_: usize, _: usize, _: usize) -> Result<(), ikra::Error> {
    Err(ikra::Error::Cluster { reason: String::from("build it with `--features mpi`") })
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |n: usize| arguments.get(n).and_then(|text| text.parse().ok());
    let result = match (arguments.first().map(String::as_str), number(1), number(2), number(3)) {
        (Some("gpus"), Some(most), Some(side), Some(steps)) => gpus::<Torus>("life, side", most, side, steps),
        (Some("flock"), Some(most), Some(edge), Some(steps)) => gpus::<Sky>("boids, edge", most, edge, steps),
        (Some("threads"), Some(count), Some(side), Some(steps)) => threads(count, side, steps),
        (Some("ranks"), Some(count), Some(side), Some(steps)) => ranks(count, side, steps),
        (Some("orders"), Some(junctions), ..) => orders::show(junctions),
        (Some("model"), Some(own), Some(side), Some(latency)) => {
            scaling::show(own as f64, side, latency as f64);
            Ok(())
        }
        _ => {
            eprintln!(
                "give gpus, flock, threads or ranks, and three numbers: how many, the side, steps; or orders, and the number of \
                 junctions; or model, and the microseconds of a rank per generation, its side, and the latency in microseconds"
            );
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
