//! Traffic in a city: moves all cars, checks and reports.

use std::time::{Duration, Instant};

use example_program::{Output, Progress, Ranks, say};
use ikra::World;
use streets::{Animation, City, Layer, Network, Player, room_for};
use traffic::{Parameters, Roads, Statistics, Traffic, TrafficError};

use crate::Failure;
use crate::options::RunOptions;
use crate::picture::{self, View};

/// Width in pixels.
const PNG_WIDTH: u32 = 1600;
const GIF_WIDTH: u32 = 800;
/// The largest number of pictures in an animation, and on a page.
const GIF_FRAMES: u32 = 100;
const PAGE_FRAMES: u32 = 300;
/// The number of steps between updates of the progress bar.
const STEPS_AT_ONCE: u32 = 256;
/// The default number of cars, if there is room.
const CARS: u32 = 5000;

/// Runs the program.
pub(crate) fn run(options: &RunOptions) -> Result<(), Failure> {
    let ranks = options.machine.ranks()?;
    let threads = options.machine.threads()?;
    // Before the work starts: an hour later would be too late to report a missing folder.
    let files = Files {
        png: options.png.as_deref().map(Output::open).transpose()?,
        gif: options.gif.as_deref().map(Output::open).transpose()?,
        html: options.html.as_deref().map(Output::open).transpose()?,
        csv: options.csv.as_deref().map(Output::open).transpose()?,
        export: options.export.as_deref().map(Output::open).transpose()?,
    };
    let network = network(options)?;
    threads.install(|| simulate(&network, files, options, &ranks))
}

/// The files to write.
struct Files {
    png: Option<Output>,
    gif: Option<Output>,
    html: Option<Output>,
    csv: Option<Output>,
    export: Option<Output>,
}

/// The network that the user selected.
fn network(options: &RunOptions) -> Result<Network, Failure> {
    let Some(path) = &options.osm else {
        let city = City { seed: options.seed, ..options.city };
        let room = room_for(city.bytes());
        room.map_err(|memory| Failure::NoMemory { what: "the made-up city", memory, less: "choose a smaller --city" })?;
        return Ok(city.build());
    };
    let (network, warnings) = Network::read(path)?;
    for warning in warnings.iter() {
        eprintln!("traffic: {}: {warning}", path.display());
    }
    Ok(network)
}

/// The largest memory use of checks and pictures, in bytes: pictures stay in memory until they are written.
fn extra_bytes(network: &Network, traffic: &Traffic, files: &Files, is_checked: bool) -> u64 {
    // The map, a copy with cars, and that copy as rows of colours; the height of a map is at most twice its width.
    let pixels = |width: u32| 2 * u64::from(width) * u64::from(width);
    let (map, network) = (|width| 12 * pixels(width), network.bytes() as u64);
    let mut bytes = 0;
    if is_checked {
        bytes += 16 * (traffic.roads().cells() + traffic.cars().len()) as u64;
    }
    if files.png.is_some() {
        bytes += map(PNG_WIDTH) + network;
    }
    if files.gif.is_some() {
        bytes += map(GIF_WIDTH) + network + u64::from(GIF_FRAMES) * pixels(GIF_WIDTH);
    }
    if files.html.is_some() {
        let points = Player::MOST_POINTS.min(traffic.cars().len() + traffic.roads().groups()) as u64;
        bytes += 4 * network + 12 * u64::from(PAGE_FRAMES) * points;
    }
    bytes
}

/// The title of the page.
fn title(options: &RunOptions) -> String {
    let file = options.osm.as_ref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
    // The file's name without `.osm.gz` or similar.
    let name = file.as_ref().and_then(|name| name.split('.').next()).filter(|name| !name.is_empty());
    format!("Traffic in {}", name.unwrap_or("a made-up city"))
}

/// Cars on the roads of the network.
fn traffic(network: &Network, input: &str, options: &RunOptions) -> Result<Traffic, Failure> {
    let roads = Roads::new(network, &options.parameters(0));
    let roads = roads.map_err(|reason| Failure::Roads { input: input.to_owned(), reason })?;
    let cars = options.cars.unwrap_or_else(|| CARS.min(roads.cells().div_ceil(4) as u32));
    Ok(Traffic::on_roads(roads, &options.parameters(cars))?)
}

fn simulate(network: &Network, files: Files, options: &RunOptions, ranks: &Ranks) -> Result<(), Failure> {
    let (steps, place) = (options.steps, options.machine.place());
    let input = options.osm.as_ref().map_or_else(|| "the made-up city".to_owned(), |path| path.display().to_string());
    let mut traffic = traffic(network, &input, options)?;
    ranks.share(traffic.world())?;
    let room = room_for(extra_bytes(network, &traffic, &files, options.check));
    room.map_err(|memory| Failure::NoMemory {
        what: "checks and pictures",
        memory,
        less: "leave out --check, --gif, --html or --png",
    })?;
    if let Some(file) = files.export {
        file.write(|file| traffic.export(file))?;
    }
    let no_map = |no_positions| Failure::NoMap { input: input.clone(), no_positions };
    let png = files.png.map(|file| Ok((picture::map(network, PNG_WIDTH)?, file))).transpose().map_err(no_map)?;
    let gif = files.gif.map(|file| Ok((picture::map(network, GIF_WIDTH)?, file))).transpose().map_err(no_map)?;
    let view = View::new(network, &traffic);
    let stride = |most| steps.div_ceil(most).max(1);
    let (gif_stride, page_stride) = (stride(GIF_FRAMES), stride(PAGE_FRAMES));
    let mut animation = gif.map(|(map, file)| {
        let colours: Vec<_> = view.layers.iter().flat_map(Layer::palette).collect();
        (Animation::new(&map.draw(&view.layers, view.points(&traffic)), &colours), map, file)
    });
    let mut page = files.html.map(|file| {
        let seconds = page_stride as f32 * traffic.parameters().seconds;
        let mut player = Player::new(network, &title(options), view.layers.clone(), 0.0, seconds)?;
        player.frame(view.points(&traffic));
        Ok((player, file))
    });
    let mut page = page.take().transpose().map_err(no_map)?;
    let mut log = files.csv.map(|file| file.rows(COLUMNS)).transpose()?;
    if options.check {
        traffic.check()?;
    }

    let worker = traffic.world().on(place).open()?;
    let mut progress = Progress::new("steps", steps);
    let mut computing = Duration::ZERO;
    let mut done = 0;
    while done < steps {
        let at_once = if log.is_some() || options.check { 1 } else { STEPS_AT_ONCE };
        let mut next = (done + at_once).min(steps);
        for (stride, is_drawn) in [(gif_stride, animation.is_some()), (page_stride, page.is_some())] {
            if is_drawn {
                next = next.min((done / stride + 1) * stride);
            }
        }
        let start = Instant::now();
        traffic.step(place, next - done)?;
        traffic.world().on(place).synchronize()?;
        computing += start.elapsed();
        done = next;
        if let Some(log) = &mut log {
            log.write(format_args!("{}", row(&traffic.statistics(place)?, traffic.parameters())))?;
        }
        if options.check {
            traffic.check()?;
        }
        if let Some((animation, map, _)) = animation.as_mut().filter(|_| done % gif_stride == 0) {
            animation.frame(&map.draw(&view.layers, view.points(&traffic)));
        }
        if let Some((page, _)) = page.as_mut().filter(|_| done % page_stride == 0) {
            page.frame(view.points(&traffic));
        }
        progress.show(done);
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
    if let Some((map, file)) = png {
        file.write(|file| map.draw(&view.layers, view.points(&traffic)).write_png(file))?;
    }
    Ok(say(&report(network, &mut traffic, options, &worker, computing)?)?)
}

/// The columns of the log.
const COLUMNS: &str = "step,mean_kmh,deviation_kmh,stopped,flow_per_hour,density_per_km";

/// A row of the log.
fn row(statistics: &Statistics, parameters: &Parameters) -> String {
    let Statistics { step, mean_velocity, deviation, stopped, .. } = *statistics;
    let speeds = [mean_velocity, deviation].map(|velocity| parameters.kilometres_per_hour(velocity));
    let [flow, density] = flow_and_density(statistics, parameters);
    format!("{step},{},{},{stopped},{flow},{density}", speeds[0], speeds[1])
}

/// Cars per hour at a position, and cars per kilometre of lane.
fn flow_and_density(statistics: &Statistics, parameters: &Parameters) -> [f64; 2] {
    let (seconds, metres) = (f64::from(parameters.seconds), f64::from(parameters.cell_length));
    [statistics.flow * 3600.0 / seconds, statistics.density * 1000.0 / metres]
}

/// `1 car`, `2 cars`.
fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// The final report.
fn report(
    network: &Network,
    traffic: &mut Traffic,
    options: &RunOptions,
    worker: &str,
    computing: Duration,
) -> Result<String, TrafficError> {
    let [lights, smart, signs] = traffic.roads().controllers();
    let mut lines = String::new();
    lines += &format!(
        "{}, {}, {:.0} km: {} cells; lights at {}, signs at {signs}\n",
        counted(network.nodes(), "junction"),
        counted(network.streets(), "street"),
        network.length() / 1e3,
        traffic.roads().cells(),
        counted(lights + smart, "junction"),
    );
    let statistics = traffic.statistics(options.machine.place())?;
    let seconds = computing.as_secs_f64().max(f64::MIN_POSITIVE);
    let per_second = f64::from(options.steps) / seconds;
    let (cars, steps) = (counted(statistics.cars as usize, "car"), counted(options.steps as usize, "step"));
    lines += &format!("{cars}, {steps}, {worker}: {seconds:.2} s\n");
    lines += &format!("{per_second:.0} steps/s, {:.3e} car updates/s\n", per_second * f64::from(statistics.cars));
    let speed = |velocity| traffic.parameters().kilometres_per_hour(velocity);
    let [flow, density] = flow_and_density(&statistics, traffic.parameters());
    lines += &format!(
        "{:.1} ± {:.1} km/h, {:.0} % of the cars stand; {flow:.0} cars per hour, {density:.1} per km\n",
        speed(statistics.mean_velocity),
        speed(statistics.deviation),
        100.0 * statistics.stopped
    );
    if options.check {
        lines.push_str("all rules hold after each step\n");
    }
    Ok(lines)
}
