//! Times one world on several ranks beside one place.
//!
//! ```sh
//! ikra-cluster-benches gpus 2 16384 50          # GPUs, side of the torus, generations; one process, a rank per GPU
//! ikra-cluster-benches threads 2 2048 100       # one process with so many threads
//! mpirun -n 2 ikra-cluster-benches ranks 1 2048 100   # threads of each rank; built with the feature `mpi`
//! ikra-cluster-benches model 14000 2048 2       # microseconds per generation and side for each rank, latency
//! ```

mod model;
mod scaling;

use std::process::ExitCode;
use std::time::Instant;

use ikra::Place;
use ikra::prelude::*;
use ikra_baselines::median;
use ikra_baselines::table::{row, table};
use ikra_cluster::Cluster;

use model::{Cell, Torus};

/// How many times each number of generations is timed.
const SAMPLES: usize = 5;

/// The measurement of one place.
struct Measured {
    /// Microseconds per generation.
    time: f64,
    /// How many cells are alive at the end.
    alive: u64,
    /// Bytes that a rank sends per generation.
    bytes: f64,
}

/// Plays generations at a place.
fn play(torus: &mut Torus, place: Place, steps: usize, sent: impl Fn() -> u64) -> Result<Measured, ikra::Error> {
    let step = |torus: &mut Torus, steps| torus.on(place).repeat(steps, |step| step.execute(Cell::live, ()));
    step(torus, 3)?;
    torus.on(place).execute_and_reduce(Cell::count, (), Sum)?;
    let (mut samples, before) = (Vec::new(), sent());
    for _ in 0..SAMPLES {
        let start = Instant::now();
        step(torus, steps)?;
        torus.on(place).synchronize()?;
        samples.push(start.elapsed().as_secs_f64() * 1e6 / steps as f64);
    }
    let bytes = (sent() - before) as f64 / (SAMPLES * steps) as f64;
    Ok(Measured { time: median(samples), alive: torus.on(place).execute_and_reduce(Cell::count, (), Sum)?, bytes })
}

fn torus(side: usize) -> Result<Torus, ikra::Error> {
    let mut torus = Torus::new();
    torus.construct(side * side, Cell::spawn, side as u32)?;
    Ok(torus)
}

fn show(name: &str, ranks: usize, measured: &Measured, one: f64) {
    let Measured { time, alive, bytes } = measured;
    let cells = [format!("{time:.1}"), format!("{:.2}", one / time), format!("{bytes:.0}"), alive.to_string()];
    row(&[&name, &ranks, &cells[0], &cells[1], &cells[2], &cells[3]]);
}

/// One GPU without ranks, and one or more with a rank each.
fn gpus(most: usize, side: usize, steps: usize) -> Result<(), ikra::Error> {
    println!("life on {side} x {side} cells");
    table(&["place", "ranks", "microseconds per generation", "of one GPU", "bytes sent by a rank", "alive"], 1);
    let alone = play(&mut torus(side)?, Place::Gpu(0), steps, || 0)?;
    show("GPU", 1, &alone, alone.time);
    for ranks in 1..=most {
        let measured = Cluster::threads(ranks, |cluster| {
            let mut torus = torus(side)?;
            cluster.share_at(&mut torus, Place::Gpu(cluster.rank()))?;
            play(&mut torus, Place::Cluster, steps, || cluster.traffic().bytes)
        });
        let measured = measured.into_iter().next().unwrap_or_else(|| unreachable!("there is a rank"))?;
        assert_eq!(measured.alive, alone.alive, "{ranks} ranks");
        show("GPU per rank", ranks, &measured, alone.time);
    }
    Ok(())
}

/// One process with some threads.
fn threads(threads: usize, side: usize, steps: usize) -> Result<(), ikra::Error> {
    with_threads(threads, || {
        let measured = play(&mut torus(side)?, Place::Host, steps, || 0)?;
        println!("{threads} threads, {side}²: {:.1} us, {} alive", measured.time, measured.alive);
        Ok(())
    })
}

/// Ranks that `mpirun` started, each with some threads.
#[cfg(feature = "mpi")]
fn ranks(threads: usize, side: usize, steps: usize) -> Result<(), ikra::Error> {
    let Some(cluster) = Cluster::mpi() else { unreachable!("MPI is started once") };
    with_threads(threads, || {
        let mut torus = torus(side)?;
        cluster.share(&mut torus)?;
        let measured = play(&mut torus, Place::Cluster, steps, || cluster.traffic().bytes)?;
        if cluster.is_first() {
            let Measured { time, alive, bytes } = measured;
            println!(
                "{} ranks of {threads} threads, {side}²: {time:.1} us, {bytes:.0} bytes, {alive} alive",
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
        (Some("gpus"), Some(most), Some(side), Some(steps)) => gpus(most, side, steps),
        (Some("threads"), Some(count), Some(side), Some(steps)) => threads(count, side, steps),
        (Some("ranks"), Some(count), Some(side), Some(steps)) => ranks(count, side, steps),
        (Some("model"), Some(own), Some(side), Some(latency)) => {
            scaling::show(own as f64, side, latency as f64);
            Ok(())
        }
        _ => {
            eprintln!(
                "give gpus, threads or ranks, and three numbers: how many, the side of the torus, generations; or model, and the \
                 microseconds of a rank per generation, its side, and the latency in microseconds"
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
