//! The populations of all steps as a diagram.

use plotters::prelude::*;
use wolfsheep::Counts;

/// Sizes in pixels.
const SIZE: (u32, u32) = (1000, 480);
const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const LINES: [(&str, RGBColor); 3] = [
    ("cells of grass", RGBColor(0x5a, 0x9a, 0x3a)),
    ("sheep", RGBColor(0x55, 0x77, 0xaa)),
    ("wolves", RGBColor(0xa8, 0x2a, 0x3a)),
];

/// The diagram as SVG.
pub(crate) fn draw(history: &[Counts]) -> String {
    let mut svg = String::new();
    draw_on(SVGBackend::with_string(&mut svg, SIZE), history).expect("a picture in memory");
    svg
}

fn draw_on<B: DrawingBackend>(backend: B, history: &[Counts]) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    let counts = |counts: &Counts| [counts.grass, counts.sheep, counts.wolves];
    let most = history.iter().flat_map(counts).max().unwrap_or(0).max(1);
    let mut chart = ChartBuilder::on(&area)
        .caption("Wolves, sheep and grass", ("sans-serif", 19).into_font().color(&INK))
        .margin(18)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(0..history.len().max(2) - 1, 0..most + most / 12 + 1)?;
    chart.configure_mesh().x_desc("step").y_desc("number").light_line_style(TRANSPARENT).draw()?;
    for (n, (name, colour)) in LINES.into_iter().enumerate() {
        let line = history.iter().enumerate().map(|(step, of)| (step, counts(of)[n]));
        chart
            .draw_series(LineSeries::new(line, colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
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
