//! The drawing.

use std::io;

use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle, WHITE};

use crate::data::{Figure, Group};
use crate::place::{Extent, extents, lines, width};
use crate::scale::Scale;

/// Pixels.
const SIZE: (u32, u32) = (1200, 500);
const LEFT: f64 = 86.0;
const RIGHT: f64 = 1184.0;
const TOP: f64 = 64.0;

const IKRA: RGBColor = RGBColor(0x4e, 0x79, 0xa7);
/// Of the other series.
const COLOURS: [RGBColor; 5] = [
    RGBColor(0xf2, 0x8e, 0x2b),
    RGBColor(0x59, 0xa1, 0x4f),
    RGBColor(0xb0, 0x7a, 0xa1),
    RGBColor(0x76, 0xb7, 0xb2),
    RGBColor(0x9c, 0x75, 0x5f),
];
const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const FAINT: RGBColor = RGBColor(0x66, 0x66, 0x66);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);

/// Sizes of texts in pixels.
const TITLE: f64 = 17.0;
const NAME: f64 = 13.0;
const SMALL: f64 = 11.0;

type Result<T = ()> = std::result::Result<T, DrawingAreaErrorKind<io::Error>>;

/// Draws the figure.
pub(crate) fn svg(figure: &Figure, logarithmic: bool) -> Result<String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    Drawing { area, figure, scale: scale(figure, logarithmic) }.all()?;
    Ok(svg)
}

fn scale(figure: &Figure, logarithmic: bool) -> Scale {
    let values: Vec<f64> = figure.values().collect();
    let values = values.into_iter();
    if logarithmic { Scale::logarithmic(values) } else { Scale::linear(values) }
}

struct Drawing<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
    figure: &'a Figure,
    scale: Scale,
}

impl Drawing<'_> {
    fn all(&self) -> Result {
        let figure = self.figure;
        let (extents, slot) = extents(figure, LEFT, RIGHT, NAME);
        let names: Vec<Vec<String>> = figure
            .groups
            .iter()
            .zip(&extents)
            .map(|(group, extent)| lines(&group.name, NAME, extent.right - extent.left))
            .collect();

        // From the lower end of the drawing upwards.
        let mut y = f64::from(SIZE.1) - 12.0;
        for line in lines(&figure.source, SMALL, RIGHT - LEFT).iter().rev() {
            self.text(line, SMALL, FAINT, (LEFT, y), HPos::Left)?;
            y -= SMALL + 4.0;
        }
        if !figure.x.is_empty() {
            self.text(&figure.x, NAME, INK, ((LEFT + RIGHT) / 2.0, y - 4.0), HPos::Center)?;
            y -= NAME + 12.0;
        }
        // A group's name is under its variants' names, if they have any.
        let below = |group: &Group| if is_plain(group) { 4.0 } else { SMALL + 16.0 };
        let tall = |(group, names): (&Group, &Vec<String>)| below(group) + names.len() as f64 * (NAME + 3.0);
        let foot = y - figure.groups.iter().zip(&names).map(tall).fold(0.0, f64::max);

        self.axis(foot)?;
        self.legend()?;
        self.text(&figure.title, TITLE, INK, (LEFT, 22.0), HPos::Left)?;
        for ((group, extent), names) in figure.groups.iter().zip(&extents).zip(&names) {
            self.bars(group, extent, slot, foot)?;
            let middle = (extent.left + extent.right) / 2.0;
            let top = foot + below(group);
            for (n, name) in names.iter().enumerate() {
                self.text(name, NAME, INK, (middle, top + (n as f64 + 0.5) * (NAME + 3.0)), HPos::Center)?;
            }
            if !is_plain(group) {
                let right = extent.slots + slot * group.slots.len() as f64;
                self.line((extent.slots + 2.0, top - 3.0), (right - 2.0, top - 3.0), FAINT)?;
            }
        }
        self.line((LEFT, foot), (RIGHT, foot), INK)?;
        self.area.present()
    }

    /// The value axis and the lines across.
    fn axis(&self, foot: f64) -> Result {
        for &tick in &self.scale.ticks {
            let y = self.y(tick, foot);
            self.line((LEFT, y), (RIGHT, y), GRID)?;
            self.text(&self.scale.label(tick), SMALL, INK, (LEFT - 6.0, y), HPos::Right)?;
        }
        let font = ("sans-serif", NAME * 1.24).into_font().transform(FontTransform::Rotate270);
        let style = TextStyle::from(font).color(&INK).pos(Pos::new(HPos::Center, VPos::Center));
        let name = format!("{} ({})", self.figure.y, self.figure.unit);
        self.area.draw(&Text::new(name, pixel((16.0, (TOP + foot) / 2.0)), style))
    }

    /// The names of the colours, at the right above the bars.
    fn legend(&self) -> Result {
        // A name as short as these may be all capitals, wider than most texts.
        let entry = |series: &String| 18.0 + width(series, NAME) * 1.2;
        let entries: f64 = self.figure.series.iter().map(entry).sum();
        let mut x = RIGHT - entries - 12.0 * (self.figure.series.len() - 1) as f64;
        for (n, series) in self.figure.series.iter().enumerate() {
            self.area.draw(&Rectangle::new([pixel((x, 38.0)), pixel((x + 12.0, 50.0))], self.colour(n)))?;
            self.text(series, NAME, INK, (x + 18.0, 44.0), HPos::Left)?;
            x += entry(series) + 12.0;
        }
        Ok(())
    }

    fn bars(&self, group: &Group, extent: &Extent, slot: f64, foot: f64) -> Result {
        let bar = slot * 0.84 / self.figure.series.len() as f64;
        // All variants of a group in one size.
        let longest = group.slots.iter().map(|slot| width(&slot.variant, 1.0)).fold(1.0, f64::max);
        let size = (slot / longest).clamp(7.0, SMALL + 1.0);
        for (n, bars) in group.slots.iter().enumerate() {
            let left = extent.slots + n as f64 * slot;
            for (series, value) in bars.values.iter().enumerate() {
                let Some(value) = *value else { continue };
                let x = left + slot * 0.08 + series as f64 * bar;
                // Also the smallest bar is one.
                let y = self.y(value, foot).min(foot - 1.0);
                let corners = [pixel((x, y)), pixel((x + bar, foot))];
                self.area.draw(&Rectangle::new(corners, self.colour(series)))?;
            }
            self.text(&bars.variant, size, INK, (left + slot / 2.0, foot + 11.0), HPos::Center)?;
        }
        Ok(())
    }

    /// Ikra's colour is the same in all figures.
    fn colour(&self, series: usize) -> ShapeStyle {
        let is_ikra = |name: &String| name.starts_with("Ikra");
        let first = self.figure.series.iter().position(is_ikra);
        let others = series - usize::from(first.is_some_and(|first| first < series));
        if first == Some(series) { IKRA.filled() } else { COLOURS[others % COLOURS.len()].filled() }
    }

    fn y(&self, value: f64, foot: f64) -> f64 {
        foot - self.scale.height(value) * (foot - TOP)
    }

    fn line(&self, from: (f64, f64), to: (f64, f64), colour: RGBColor) -> Result {
        self.area.draw(&PathElement::new(vec![pixel(from), pixel(to)], colour.stroke_width(1)))
    }

    /// A text whose middle is at this height.
    fn text(&self, text: &str, size: f64, colour: RGBColor, at: (f64, f64), horizontal: HPos) -> Result {
        if text.is_empty() {
            return Ok(());
        }
        // The backend divides sizes by this number.
        let font = ("sans-serif", size * 1.24).into_font();
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(horizontal, VPos::Center));
        self.area.draw(&Text::new(text.to_owned(), pixel(at), style))
    }
}

/// Whether a group is one slot that needs no name of its own.
fn is_plain(group: &Group) -> bool {
    group.slots.iter().all(|slot| slot.variant.is_empty())
}

fn pixel((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIGURE: &str = "\
# title: Inner arrays & <loops>
# unit: ms
# x: layout and size
# source: a test
group,variant,series,value
AoS,,hand-written,400
AoS,,Ikra,410.5
SoA (partial),8,Ikra,33
SoA (partial),16,Ikra,0.5
SoA (partial),16,hand-written,21
SoA (partial),16,other,22
";

    /// The contents of all texts.
    fn texts(svg: &str) -> Vec<&str> {
        svg.split("<text").skip(1).map(|text| text.split(['>', '<']).nth(1).unwrap().trim()).collect()
    }

    /// The `width` and `height` of all rectangles of a colour.
    fn rects(svg: &str, colour: RGBColor) -> Vec<(i32, i32)> {
        let fill = format!("fill=\"#{:02X}{:02X}{:02X}\"", colour.0, colour.1, colour.2);
        let number = |rect: &str, name: &str| {
            rect.split_once(&format!(" {name}=\"")).unwrap().1.split('"').next().unwrap().parse().unwrap()
        };
        let rects = svg.split("<rect").skip(1).map(|rect| rect.split("/>").next().unwrap());
        let rects = rects.filter(|rect| rect.contains(&fill));
        rects.map(|rect| (number(rect, "width"), number(rect, "height"))).collect()
    }

    #[test]
    fn a_bar_a_value() {
        let figure: Figure = FIGURE.parse().unwrap();
        for logarithmic in [false, true] {
            let svg = svg(&figure, logarithmic).unwrap();
            // One more each in the legend, one behind all.
            assert_eq!(rects(&svg, IKRA).len(), 3 + 1);
            assert_eq!(rects(&svg, COLOURS[0]).len(), 2 + 1);
            assert_eq!(rects(&svg, COLOURS[1]).len(), 1 + 1);
            assert_eq!(svg.matches("<rect").count(), figure.values().count() + 3 + 1);
            let bars = rects(&svg, IKRA);
            assert!(bars.iter().all(|(width, height)| *width > 0 && *height > 0), "{bars:?}");
        }
    }

    #[test]
    fn heights_are_to_scale() {
        let figure: Figure = "group,variant,series,value\na,1,Ikra,100\na,2,Ikra,50".parse().unwrap();
        let svg = svg(&figure, false).unwrap();
        let bars = rects(&svg, IKRA);
        assert!((bars[1].1 - 2 * bars[2].1).abs() <= 2, "{bars:?}");
    }

    #[test]
    fn all_labels_are_there() {
        let svg = svg(&FIGURE.parse().unwrap(), false).unwrap();
        let texts = texts(&svg);
        for label in [
            "Inner arrays &amp; &lt;loops&gt;",
            "time (ms)",
            "layout and size",
            "a test",
            "AoS",
            "8",
            "16",
            "Ikra",
            "hand-written",
            "other",
            "0",
            "100",
        ] {
            assert_eq!(texts.iter().filter(|text| **text == label).count(), 1, "{label} in {texts:?}");
        }
        assert!(texts.join(" ").contains("SoA (partial)"));
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert_eq!(svg.matches("font-family=\"sans-serif\"").count(), texts.len());
        assert!(svg.contains("width=\"1200\" height=\"500\""));
    }
}
