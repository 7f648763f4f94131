//! Times traffic on generated cities: `examples/traffic`, on the host and on a GPU beside the hand-written CUDA of
//! `benches/cuda/traffic.cu`, and compares their results.
//!
//! `ikra-traffic-benches target/cuda/libbaselines.so [sizes | kernels | growth | arrays] …`, on a machine with a GPU;
//! `ikra-traffic-benches host [sizes | growth | arrays] …` anywhere; `arrays:aos_c` is some of the layouts.
//!
//! Tables of sizes and growth beside CUDA, and of arrays, are those of docs/performance.md: `cargo xtask bench docs FILE` takes
//! them over.

mod arrays;
mod baselines;
mod layouts {
    include!(concat!(env!("OUT_DIR"), "/layouts.rs"));
}

use std::error::Error;
use std::time::Instant;

use baselines::{Baselines, Start, State, Version};
use ikra::Place;
use ikra::prelude::*;
use ikra_baselines::table::{grouped, table};
use ikra_baselines::{COUNT, is_counting, median, size};
use streets::City;
use traffic::model::{Car, Clock, Controller, Rules, SharedSignalGroup};
use traffic::{Parameters, Traffic};

/// Steps that are not timed, so that all is recorded.
const WARM_UP: u32 = 72;
/// Steps that are timed together.
const SAMPLE: u32 = 1000;
/// The same on the host.
const HOST_SAMPLE: u32 = 64;
/// Samples, of which the median is taken.
const SAMPLES: u32 = 5;

/// Cells of [`City::DENVER`], about.
const DENVER_CELLS: u64 = 8_339_802;
/// Its cars in INNER §5.3.
const DENVER_CARS: u32 = 229_376;

/// Cells of 5 m and steps so long that speed limits are about 6.16 cells per step on average, and cars that reach 15 to 30,
/// as in INNER §5.3.
fn parameters(cars: u32) -> Parameters {
    let seconds = 2.6;
    let speed = |cells: f32| cells * 5.0 / seconds;
    Parameters { cars, seconds, speeds: speed(15.0)..=speed(30.0), ..Parameters::default() }
}

/// A city like [`City::DENVER`] with another number of cells, about.
fn city(cells: u64) -> City {
    let scaled = |count: u32| (u64::from(count) * cells / DENVER_CELLS) as u32;
    let all = City::DENVER;
    City {
        junctions: scaled(all.junctions).max(2),
        streets: all.streets.map(scaled),
        lights: all.lights.map(scaled),
        yields: all.yields.map(scaled),
        ..all
    }
}

/// Networks and cars of INNER and of the runs of its program.
fn sizes() -> Vec<(City, u32)> {
    let cars = |cells: u64| (u64::from(DENVER_CARS) * cells / DENVER_CELLS) as u32;
    let (small, middle) = (536_933, 3_900_000);
    vec![
        (city(small), cars(small)),
        (city(small), DENVER_CARS),
        (city(middle), cars(middle)),
        (city(middle), DENVER_CARS),
        (City::DENVER, DENVER_CARS),
    ]
}

/// From a thousand cars to ten millions, with four cells for each.
fn growth() -> Vec<(City, u32)> {
    (3..=7).map(|power| (city(4 * 10_u64.pow(power)), 10_u32.pow(power))).collect()
}

/// Traffic that has done no step.
fn start(city: &City, cars: u32) -> Result<Traffic, Box<dyn Error>> {
    let network = city.build();
    let roads = traffic::Roads::new(&network, &parameters(0))?;
    let cars = cars.min(roads.cells() as u32);
    Ok(Traffic::on_roads(roads, &parameters(cars))?)
}

/// Microseconds per 1,000 steps.
fn time_on_gpu(traffic: &mut Traffic, samples: u32) -> Result<f64, ikra::Error> {
    let place = Place::Gpu(0);
    traffic.step(place, WARM_UP)?;
    let mut times = Vec::new();
    for _ in 0..samples {
        traffic.world().on(Place::Gpu(0)).synchronize()?;
        let begin = Instant::now();
        traffic.step(place, SAMPLE)?;
        traffic.world().on(Place::Gpu(0)).synchronize()?;
        times.push(begin.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(times))
}

/// The same on the host, with some threads.
fn time_on_host(traffic: &mut Traffic, threads: usize) -> Result<f64, ikra::Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        traffic.step(Place::Host, WARM_UP)?;
        let begin = Instant::now();
        traffic.step(Place::Host, HOST_SAMPLE)?;
        Ok(begin.elapsed().as_secs_f64() * 1e6 * f64::from(SAMPLE) / f64::from(HOST_SAMPLE))
    })
}

/// What was measured of a network beside CUDA.
struct Measured {
    cells: usize,
    cars: u32,
    /// Microseconds for 1,000 steps: Ikra, CUDA with the same data and packed, two threads of the host.
    times: [f64; 4],
    /// Bytes of device memory, of the first three.
    bytes: [u64; 3],
}

impl Measured {
    /// Runs all, and compares the results.
    fn of(
        baselines: &Baselines,
        city: &City,
        cars: u32,
        samples: u32,
        with_host: bool,
    ) -> Result<Self, Box<dyn Error>> {
        let mut traffic = start(city, cars)?;
        let (cells, cars) = (traffic.roads().cells(), traffic.parameters().cars);
        let from = Start::of(&mut traffic);
        let host = if with_host { time_on_host(&mut start(city, cars)?, 2)? } else { f64::NAN };
        let ikra = time_on_gpu(&mut traffic, samples)?;
        let bytes = traffic.world().cuda().stats().device_memory;
        let state = State::of(&mut traffic);
        traffic.check()?;
        drop(traffic);
        let [same, best] = [Version::Same, Version::Best].map(|version| baselines.run(version, samples, &from));
        if state != same.state || state != best.state {
            return Err(format!("{cells} cells, {cars} cars: the results differ").into());
        }
        let times = [ikra, same.time / 1e3, best.time / 1e3, host];
        Ok(Self { cells, cars, times, bytes: [bytes, same.bytes, best.bytes] })
    }

    /// Milliseconds for 1,000 steps, and the ratio to Ikra's.
    fn beside(&self, n: usize) -> String {
        format!("{:.1} ({:.2})", self.times[n] / 1e3, self.times[n] / self.times[0])
    }

    fn megabytes(&self, n: usize) -> f64 {
        self.bytes[n] as f64 / 1e6
    }
}

/// Some bytes as 10⁶ bytes: of few more digits.
fn megabytes(bytes: usize) -> String {
    let megabytes = bytes as f64 / 1e6;
    if bytes == 0 || megabytes > 10.0 { format!("{megabytes:.1}") } else { format!("{megabytes:.3}") }
}

fn sizes_on_gpu(baselines: &Baselines) -> Result<(), Box<dyn Error>> {
    table(
        &[
            "cells",
            "cars",
            "Ikra",
            "CUDA, same data",
            "CUDA, packed",
            "host, 2 threads",
            "Ikra, MB",
            "CUDA, MB",
            "packed, MB",
        ],
        0,
    );
    for (city, cars) in sizes() {
        let measured = Measured::of(baselines, &city, cars, SAMPLES, true)?;
        let [ikra, .., host] = measured.times;
        println!(
            "| {} | {} | {:.1} | {} | {} | {:.1} s ({:.0}) | {:.0} | {:.0} | {:.0} |",
            grouped(measured.cells),
            grouped(measured.cars),
            ikra / 1e3,
            measured.beside(1),
            measured.beside(2),
            host / 1e6,
            host / ikra,
            measured.megabytes(0),
            measured.megabytes(1),
            measured.megabytes(2),
        );
    }
    Ok(())
}

fn growth_on_gpu(baselines: &Baselines) -> Result<(), Box<dyn Error>> {
    table(
        &[
            "cells",
            "cars",
            "µs per step",
            "ns per car and step",
            "CUDA, same data, ms per 1,000",
            "CUDA, packed",
            "Ikra, MB",
        ],
        0,
    );
    for (city, cars) in growth() {
        // The largest takes long to set up.
        let measured = Measured::of(baselines, &city, cars, if cars > 1_000_000 { 1 } else { SAMPLES }, false)?;
        let nanoseconds = measured.times[0] * 1e3 / f64::from(SAMPLE);
        println!(
            "| {} | {} | {:.1} | {:.3} | {} | {} | {:.1} |",
            grouped(measured.cells),
            grouped(measured.cars),
            nanoseconds / 1e3,
            nanoseconds / f64::from(measured.cars),
            measured.beside(1),
            measured.beside(2),
            measured.megabytes(0),
        );
    }
    Ok(())
}

/// How long each kernel takes, launched by itself.
fn kernels() -> Result<(), Box<dyn Error>> {
    let few = vec![(city(12_000), 1000)];
    for (city, cars) in if is_counting() { few } else { sizes() } {
        let mut traffic = start(&city, cars)?;
        traffic.step(Place::Gpu(0), size(WARM_UP, 2))?;
        let (cells, parameters) = (traffic.roads().cells() as u32, traffic.parameters().clone());
        let rules = Rules { seed: parameters.seed, randomisation: parameters.randomisation, cells };
        let world = traffic.world();
        let clock = world.clocks.links().next().ok_or("no clock")?;
        world.cuda().time_kernels(true)?;
        let steps = size(200, 10);
        for k in 1..=steps {
            let mut on = world.on(Place::Gpu(0));
            on.execute(SharedSignalGroup::look, ())?;
            on.execute(Controller::control, (clock, k))?;
            on.execute(Car::plan, (clock, k, rules))?;
            on.execute(Car::drive, ())?;
        }
        world.on(Place::Gpu(0)).execute(Clock::advance, steps)?;
        for kernel in world.cuda().stats().kernels {
            let time = kernel.time.as_secs_f64() * 1e6 / f64::from(steps);
            println!("{cells} cells, {cars} cars, {}: {time:.1} µs per step", kernel.kernel);
        }
    }
    Ok(())
}

/// INNER Fig. 11: in its city on a GPU, in a smaller one on the host. Of all layouts, or of those whose name begins so:
/// `aos_c_15` is [`Car::path`] with 15 elements inlined, objects in rows.
fn arrays(place: Place, only: &str) -> Result<(), Box<dyn Error>> {
    let (rounds, steps, (city, cars)) = match place {
        Place::Host => (9, 100, sizes().swap_remove(0)),
        _ if is_counting() => (1, 4, (city(12_000), 1000)),
        _ => (5, 60, (City::DENVER, DENVER_CARS)),
    };
    let from = Start::of(&mut start(&city, cars)?);
    let machine = if place == Place::Host { "host" } else { "GPU" };
    println!("{machine}: {} cells, {cars} cars, medians of {rounds} rounds of {steps} steps", from.limits.len());
    let mut bars = arrays::run(&from, place, only, rounds, steps)?;
    let expected = bars.first().ok_or("no such layout")?.state();
    if let Some(bar) = bars.iter().find(|bar| bar.state() != expected) {
        return Err(format!("{}, {} of {}: the results differ", bar.layout, bar.inlined, bar.array).into());
    }
    // By the figure's letters; all arrays inlined first.
    bars.sort_by_key(|bar| (bar.figure != 'x', bar.figure));
    let array = format!("array ({machine})");
    table(&[&array, "inlined", "layout", "cars", "controllers", "MB inlined", "in the arena"], 3);
    for bar in bars {
        let [cars, controllers] = bar.times.clone().map(|times| median(times) * 1e6);
        let (inlined, arena) = bar.memory();
        let letter = if bar.figure == 'x' { String::new() } else { format!("({}) ", bar.figure) };
        println!(
            "| {letter}{} | {} | {} | {cars:.1} | {controllers:.1} | {} | {} |",
            bar.array,
            bar.inlined,
            bar.layout,
            megabytes(inlined),
            megabytes(arena),
        );
    }
    Ok(())
}

fn on_host(cases: Vec<(City, u32)>) -> Result<(), Box<dyn Error>> {
    println!("| cells | cars | 1 thread | 2 threads | ratio | ns per car and step, 2 threads | results |");
    println!("| ---: {}| --- |", "| ---: ".repeat(5));
    for (city, cars) in cases {
        let (mut first, mut second) = (start(&city, cars)?, start(&city, cars)?);
        let (one, two) = (time_on_host(&mut first, 1)?, time_on_host(&mut second, 2)?);
        let (cells, cars) = (first.roads().cells(), first.parameters().cars);
        let verdict = match (State::of(&mut first) == State::of(&mut second), first.check()) {
            (true, Ok(())) => "equal".to_owned(),
            (_, checked) => format!("**DIFFER**, {checked:?}"),
        };
        println!(
            "| {cells} | {cars} | {one:.0} | {two:.0} | {:.2} | {:.2} | {verdict} |",
            one / two,
            two * 1e3 / f64::from(SAMPLE) / f64::from(cars)
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: ikra-traffic-benches host|count|target/cuda/libbaselines.so [sizes|kernels|growth|arrays] …";
    let path = arguments.next().ok_or(usage)?;
    let mut groups: Vec<String> = arguments.collect();
    if groups.is_empty() {
        groups = if path == COUNT {
            vec!["kernels".to_owned(), "arrays".to_owned()]
        } else {
            vec!["sizes".to_owned(), "growth".to_owned()]
        };
    }
    let baselines = if path == "host" { None } else { Some(Baselines::open(&path)?) };
    match &baselines {
        Some(_) => {
            let name = &ikra::gpu::driver::devices()?[0].name;
            println!("{name}, milliseconds per {SAMPLE} steps, median of {SAMPLES}, in the largest row of growth of 1");
        }
        None => println!("host, microseconds per {SAMPLE} steps, from {HOST_SAMPLE} steps"),
    }
    for group in groups {
        if let Some(only) = group.strip_prefix("arrays") {
            let place = if baselines.is_some() { Place::Gpu(0) } else { Place::Host };
            arrays(place, only.trim_start_matches(':'))?;
            continue;
        }
        match (group.as_str(), &baselines) {
            ("sizes", Some(baselines)) => sizes_on_gpu(baselines)?,
            ("growth", Some(baselines)) => growth_on_gpu(baselines)?,
            ("kernels", Some(_)) => kernels()?,
            ("sizes", None) => on_host(sizes())?,
            ("growth", None) => on_host(growth())?,
            _ => return Err(usage.into()),
        }
    }
    Ok(())
}
