//! The main job: moves all actors, checks and reports.

use std::time::{Duration, Instant};

use example_program::{Output, Progress};
use ikra::prelude::*;
use ikra::{On, World};
use streets::{Animation, City, Layer, Network, Player};

use crate::model::{Actor, Bus, Car, Cyclist, Pedestrian, SECONDS, Street, Tick, Town};
use crate::options::Options;
use crate::{Failure, picture, town};
/// Width in pixels.
const PNG_WIDTH: u32 = 1600;
const GIF_WIDTH: u32 = 800;
/// The largest number of pictures in an animation.
const MOST_FRAMES: u32 = 100;

/// Runs the program.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let threads = options.machine.threads()?;
    // Before the work starts: an hour later would be too late to report a missing folder.
    let files = Files {
        png: options.png.as_deref().map(Output::open).transpose()?,
        gif: options.gif.as_deref().map(Output::open).transpose()?,
        html: options.html.as_deref().map(Output::open).transpose()?,
        csv: options.csv.as_deref().map(Output::open).transpose()?,
    };
    let network = network(options)?;
    threads.install(|| simulate(&network, files, options))
}

/// The files to write.
struct Files {
    png: Option<Output>,
    gif: Option<Output>,
    html: Option<Output>,
    csv: Option<Output>,
}

/// The network that the user selected.
fn network(options: &Options) -> Result<Network, Failure> {
    let Some(path) = &options.network else {
        return Ok(City { seed: u64::from(options.seed), ..options.city }.build());
    };
    let (network, warnings) = Network::read(path)?;
    for warning in warnings.iter() {
        eprintln!("actors: {}: {warning}", path.display());
    }
    Ok(network)
}

fn simulate(network: &Network, files: Files, options: &Options) -> Result<(), Failure> {
    let no_map = |no_positions| {
        let file = options.network.as_ref().map_or_else(String::new, |path| path.display().to_string());
        Failure::NoMap { file, no_positions }
    };
    let png =
        files.png.map(|file| picture::map(network, PNG_WIDTH).map(|map| (map, file))).transpose().map_err(no_map)?;
    let gif =
        files.gif.map(|file| picture::map(network, GIF_WIDTH).map(|map| (map, file))).transpose().map_err(no_map)?;
    let mut town = town::build(network, options.actors, options.seed)?;
    let stride = options.ticks.div_ceil(MOST_FRAMES).max(1);
    let layers = picture::layers(&town);
    let mut page = match files.html {
        Some(file) => Some((
            Player::new(network, "Actors in a city", layers.clone(), 0.0, stride as f32 * SECONDS).map_err(no_map)?,
            file,
        )),
        None => None,
    };
    if let Some((page, _)) = &mut page {
        page.frame(picture::points(network, &town));
    }
    let mut animation = gif.map(|(map, file)| {
        let colours: Vec<_> = layers.iter().flat_map(Layer::palette).collect();
        let animation = Animation::new(&map.draw(&layers, picture::points(network, &town)), &colours);
        (animation, map, file)
    });
    let mut log = files.csv.map(|file| file.rows("tick,cars,buses,cyclists,pedestrians")).transpose()?;
    let Options { ticks, .. } = *options;
    let worker = town.on(options.machine.place()).open()?;
    let mut progress = Progress::new("ticks", ticks);
    let mut computing = Duration::ZERO;
    for number in 1..=ticks {
        let start = Instant::now();
        let mut sim = town.on(options.machine.place());
        sim.execute(Actor::tick, Tick { seed: options.seed, number, weather: options.weather() })?;
        let is_drawn = number % stride == 0 && (animation.is_some() || page.is_some());
        if number == ticks || options.check || log.is_some() || is_drawn {
            // A device may lag behind, and the next tick waits for it.
            sim.synchronize()?;
        }
        computing += start.elapsed();
        if let Some(log) = &mut log {
            let [cars, buses, cyclists, pedestrians] = speeds(&mut sim)?;
            log.write(format_args!("{number},{cars},{buses},{cyclists},{pedestrians}"))?;
        }
        if options.check || number == ticks {
            check(&mut sim, number)?;
        }
        if is_drawn {
            if let Some((animation, map, _)) = &mut animation {
                animation.frame(&map.draw(&layers, picture::points(network, &town)));
            }
            if let Some((page, _)) = &mut page {
                page.frame(picture::points(network, &town));
            }
        }
        progress.show(number);
    }
    progress.clear();
    if let Some(log) = log {
        log.finish()?;
    }
    if let Some((animation, _, file)) = animation {
        file.write(|file| animation.write(file))?;
    }
    if let Some((page, file)) = page {
        file.write(|file| page.write(file))?;
    }
    report(network, &mut town.on(options.machine.place()), options, &worker, computing)?;
    if let Some((map, file)) = png {
        file.write(|file| map.draw(&layers, picture::points(network, &town)).write_png(file))?;
    }
    Ok(())
}

/// The numbers of cars, buses, cyclists and pedestrians.
fn counts(town: &Town) -> [usize; 4] {
    [town.cars.len(), town.buses.len(), town.cyclists.len(), town.pedestrians.len()]
}

/// Mean speeds of cars, buses, cyclists and pedestrians in kilometres per hour; 0 for a class without actors.
fn speeds(sim: &mut On<'_, Town>) -> Result<[f64; 4], ikra::Error> {
    let metres = [
        sim.execute_and_reduce(Car::metres, (), Sum)?,
        sim.execute_and_reduce(Bus::metres, (), Sum)?,
        sim.execute_and_reduce(Cyclist::metres, (), Sum)?,
        sim.execute_and_reduce(Pedestrian::metres, (), Sum)?,
    ];
    let counts = counts(sim.world());
    Ok(std::array::from_fn(|n| metres[n] / counts[n].max(1) as f64 / f64::from(SECONDS) * 3.6))
}

/// Checks that no actor is lost, and that all are on streets that they may use.
fn check(sim: &mut On<'_, Town>, tick: u32) -> Result<(), Failure> {
    sim.execute(Street::clear, ())?;
    sim.execute(Actor::stand, ())?;
    let found = sim.execute_and_reduce(Street::crowd, (), Sum)?;
    let expected = counts(sim.world()).iter().sum::<usize>() as u64;
    if found != expected {
        return Err(Failure::Lost { tick, found, expected });
    }
    if !sim.execute_and_reduce(Actor::is_on_street, (), All)? {
        return Err(Failure::OffStreet { tick });
    }
    Ok(())
}

fn report(
    network: &Network,
    sim: &mut On<'_, Town>,
    options: &Options,
    worker: &str,
    computing: Duration,
) -> Result<(), Failure> {
    let [cars, buses, cyclists, pedestrians] = counts(sim.world());
    println!(
        "{} junctions, {} streets, {:.0} km; {cars} cars, {buses} buses, {cyclists} cyclists, {pedestrians} pedestrians",
        network.nodes(),
        network.streets(),
        network.length() / 1e3
    );
    let seconds = computing.as_secs_f64().max(f64::MIN_POSITIVE);
    let per_second = f64::from(options.ticks) / seconds;
    let actors = (cars + buses + cyclists + pedestrians) as f64;
    println!("{} ticks, {worker}: {seconds:.2} s", options.ticks);
    println!("{per_second:.0} ticks/s, {:.3e} moves/s", per_second * actors);
    let [cars, buses, cyclists, pedestrians] = speeds(sim)?;
    println!("km/h: cars {cars:.1}, buses {buses:.1}, cyclists {cyclists:.1}, pedestrians {pedestrians:.2}");
    Ok(())
}
