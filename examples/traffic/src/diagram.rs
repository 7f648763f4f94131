//! The fundamental diagram: the flow on a ring road by density.

use std::io;

use example_program::{Output, Progress, say};
use ikra::Place;
use plotters::prelude::*;
use traffic::{Parameters, Traffic, TrafficError};

use crate::Failure;
use crate::options::RingOptions;

/// The interval between measured steps: the steps between them are similar.
const EVERY: u32 = 5;
/// Sizes in pixels.
const SIZE: (u32, u32) = (1000, 560);
const FREE: RGBColor = RGBColor(0x2b, 0x8a, 0x5a);
const JAM: RGBColor = RGBColor(0xd1, 0x49, 0x3f);
const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const SOFT: RGBColor = RGBColor(0x99, 0x99, 0x99);

/// The measurements at a density, in cells and steps.
#[derive(Clone, Copy, Debug)]
struct Point {
    density: f64,
    flow: f64,
    velocity: f64,
    stopped: f64,
}

/// Measures, reports, and draws the diagram.
pub(crate) fn run(options: &RingOptions) -> Result<(), Failure> {
    let threads = options.machine.threads()?;
    let svg = options.svg.as_deref().map(Output::open).transpose()?;
    let csv = options.csv.as_deref().map(Output::open).transpose()?;
    let points = threads.install(|| measure(options))?;
    if let Some(csv) = csv {
        let mut rows = csv.rows("density,flow,velocity,stopped")?;
        for Point { density, flow, velocity, stopped } in &points {
            rows.write(format_args!("{density},{flow},{velocity},{stopped}"))?;
        }
        rows.finish()?;
    }
    let best = points[peak(&points)];
    let (first, last) = (points[0], points[points.len() - 1]);
    say(&format!(
        "a ring of {} cells, {} densities, {} steps each\n\
         largest flow {:.3} cars per step, at {:.3} cars per cell\n\
         free flow: {:.2} cells per step at {:.3} cars per cell\n\
         jam: {:.2} cells per step at {:.3} cars per cell\n",
        options.cells,
        points.len(),
        2 * options.steps,
        best.flow,
        best.density,
        first.velocity,
        first.density,
        last.velocity,
        last.density
    ))?;
    if let Some(svg) = svg {
        let drawing = draw(&points, options);
        svg.write(|file| io::Write::write_all(file, drawing.as_bytes()))?;
    }
    Ok(())
}

fn measure(options: &RingOptions) -> Result<Vec<Point>, TrafficError> {
    let place = options.machine.place();
    let mut progress = Progress::new("densities", options.densities);
    let mut counts: Vec<u32> = (1..=options.densities).map(|n| cars(n, options)).collect();
    counts.dedup();
    let mut points = Vec::new();
    for (n, &cars) in (1..).zip(&counts) {
        points.push(point(cars, options, place)?);
        progress.show(n);
    }
    progress.clear();
    Ok(points)
}

/// The numbers of cars to measure: at least one, and fewer than the cells. They are denser at low densities, since free
/// flow ends early.
fn cars(n: u32, options: &RingOptions) -> u32 {
    let share = f64::from(n) / f64::from(options.densities + 1);
    ((share.powf(1.5) * f64::from(options.cells)).round() as u32).clamp(1, options.cells - 1)
}

fn point(cars: u32, options: &RingOptions, place: Place) -> Result<Point, TrafficError> {
    let parameters =
        Parameters { cars, seed: options.seed, randomisation: options.randomisation, ..Parameters::default() };
    let mut ring = Traffic::ring(options.cells, options.max_velocity, &parameters)?;
    ring.step(place, options.steps)?;
    let mut point =
        Point { density: f64::from(cars) / f64::from(options.cells), flow: 0.0, velocity: 0.0, stopped: 0.0 };
    let mut measured = 0.0;
    let mut left = options.steps;
    while left > 0 {
        let steps = left.min(EVERY);
        ring.step(place, steps)?;
        let statistics = ring.statistics(place)?;
        point.flow += statistics.flow;
        point.velocity += statistics.mean_velocity;
        point.stopped += statistics.stopped;
        measured += 1.0;
        left -= steps;
    }
    Ok(Point {
        flow: point.flow / measured,
        velocity: point.velocity / measured,
        stopped: point.stopped / measured,
        ..point
    })
}

/// The density with the largest flow: traffic flows freely below it, and jams above it.
fn peak(points: &[Point]) -> usize {
    (0..points.len()).max_by(|&a, &b| points[a].flow.total_cmp(&points[b].flow)).unwrap_or(0)
}

/// The diagram as SVG.
fn draw(points: &[Point], options: &RingOptions) -> String {
    let mut svg = String::new();
    draw_on(SVGBackend::with_string(&mut svg, SIZE), points, options).expect("a picture in memory");
    svg
}

fn draw_on<B: DrawingBackend>(
    backend: B,
    points: &[Point],
    options: &RingOptions,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    let velocity = f64::from(options.max_velocity);
    // Theory without dawdling: either no car is slowed down, or each gap limits a car's way.
    let ideal_peak = 1.0 / (velocity + 1.0);
    let highest = 1.08 * points.iter().map(|point| point.flow).fold(velocity * ideal_peak, f64::max);
    let title = format!(
        "Fundamental diagram: a ring of {} cells, v_max = {velocity}, dawdling with probability {}",
        options.cells, options.randomisation
    );
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 19).into_font().color(&INK))
        .margin(18)
        .x_label_area_size(52)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..1.0, 0.0..highest)?;
    chart
        .configure_mesh()
        .x_desc("density, cars per cell")
        .y_desc("flow, cars per step")
        .x_label_formatter(&|x| format!("{x:.1}"))
        .y_label_formatter(&|y| format!("{y:.1}"))
        .label_style(("sans-serif", 14).into_font().color(&INK))
        .axis_desc_style(("sans-serif", 15).into_font().color(&INK))
        .bold_line_style(RGBColor(0xe4, 0xe4, 0xe4))
        .light_line_style(WHITE)
        .draw()?;
    let legend = |colour: RGBColor, width: u32| {
        move |(x, y): (i32, i32)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(width))
    };
    chart
        .draw_series(LineSeries::new(
            [(0.0, 0.0), (ideal_peak, velocity * ideal_peak), (1.0, 0.0)],
            SOFT.stroke_width(1),
        ))?
        .label("without dawdling: min(v_max ρ, 1 − ρ)")
        .legend(legend(SOFT, 1));
    let peak = peak(points);
    for (branch, colour, name) in [(&points[..=peak], FREE, "free flow"), (&points[peak..], JAM, "jams")] {
        let line = branch.iter().map(|point| (point.density, point.flow));
        chart.draw_series(LineSeries::new(line.clone(), colour.stroke_width(2)))?.label(name).legend(legend(colour, 2));
        chart.draw_series(line.map(|at| Circle::new(at, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(("sans-serif", 14).into_font().color(&INK))
        .background_style(WHITE.mix(0.9))
        .border_style(RGBColor(0xdd, 0xdd, 0xdd))
        .draw()?;
    area.present()
}
