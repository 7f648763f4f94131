//! The README's chart: the first table of docs/performance.md as bars.
//!
//! Each row is a bar from its smallest to its largest ratio, on a logarithmic scale with a line at 1.

use std::fmt::Write;
use std::fs;

use crate::run::Outcome;

const DOCUMENT: &str = "docs/performance.md";
const CHART: &str = "docs/speed.svg";
const HEADER: &str = "| program | compared with | ratio | command |";

/// Sizes in pixels.
const WIDTH: f64 = 820.0;
const LEFT: f64 = 400.0;
const RIGHT: f64 = 740.0;
const TOP: f64 = 40.0;
const ROW: f64 = 34.0;

/// The ends of the scale, and the ratios on its labels.
const SCALE: (f64, f64) = (1.0 / 16.0, 32.0);
const TICKS: [(f64, &str); 5] = [(0.0625, "1/16"), (0.25, "1/4"), (1.0, "1"), (4.0, "4"), (16.0, "16")];

/// A row of the table.
#[derive(Debug, PartialEq)]
struct Row {
    program: String,
    other: String,
    from: f64,
    to: f64,
}

/// Draws the table of the document.
pub fn draw() -> Outcome {
    let text = fs::read_to_string(DOCUMENT).map_err(|error| format!("{DOCUMENT}: {error}"))?;
    fs::write(CHART, svg(&rows(&text)?)).map_err(|error| format!("{CHART}: {error}"))
}

fn rows(document: &str) -> Result<Vec<Row>, String> {
    let lines = document.lines().skip_while(|line| *line != HEADER);
    let rows = lines.skip(2).take_while(|line| line.starts_with('|')).map(row).collect::<Result<Vec<_>, String>>()?;
    if rows.is_empty() { Err(format!("{DOCUMENT} has no table {HEADER}")) } else { Ok(rows) }
}

/// A ratio is a number, or a range `0.98 to 1.03`.
fn row(line: &str) -> Result<Row, String> {
    let error = || format!("{DOCUMENT}: no ratio in {line}");
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [program, other, ratio, _] = cells[..] else { return Err(error()) };
    let (from, to) = ratio.split_once(" to ").unwrap_or((ratio, ratio));
    let number = |text: &str| text.parse().ok().filter(|number| (SCALE.0..=SCALE.1).contains(number));
    let (from, to) = (number(from).ok_or_else(error)?, number(to).ok_or_else(error)?);
    let plain = |cell: &str| cell.replace('`', "").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    Ok(Row { program: plain(program), other: plain(other), from, to })
}

fn x(ratio: f64) -> f64 {
    LEFT + (RIGHT - LEFT) * (ratio / SCALE.0).log2() / (SCALE.1 / SCALE.0).log2()
}

fn svg(rows: &[Row]) -> String {
    let foot = TOP + ROW * rows.len() as f64;
    let height = foot + 44.0;
    // An image follows the reader's colour scheme by itself: the page that shows it cannot style it.
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\">\n<style>\n\
         text {{ fill: #24292f; font-size: 13px }}\n\
         .small {{ fill: #57606a; font-size: 11px }}\n\
         .grid {{ stroke: #d0d7de }}\n\
         .one {{ stroke: #24292f; stroke-width: 1.5 }}\n\
         .bar {{ fill: #4e79a7 }}\n\
         @media (prefers-color-scheme: dark) {{\n\
         text {{ fill: #e6edf3 }} .small {{ fill: #9da7b3 }} .grid {{ stroke: #3d444d }}\n\
         .one {{ stroke: #e6edf3 }} .bar {{ fill: #7fa8d6 }}\n}}\n</style>\n\
         <text x=\"12\" y=\"22\">Ikra's speed compared with other programs: right of 1, Ikra is faster</text>\n"
    );
    for (ratio, label) in TICKS {
        let (x, class) = (x(ratio), if label == "1" { "one" } else { "grid" });
        let _ = writeln!(svg, "<line class=\"{class}\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{foot}\"/>");
        let _ = writeln!(
            svg,
            "<text class=\"small\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            foot + 16.0
        );
    }
    for (n, Row { program, other, from, to }) in rows.iter().enumerate() {
        let y = TOP + ROW * n as f64;
        let _ = writeln!(svg, "<text x=\"12\" y=\"{:.1}\">{program}</text>", y + 14.0);
        let _ = writeln!(svg, "<text class=\"small\" x=\"12\" y=\"{:.1}\">compared with {other}</text>", y + 27.0);
        // A ratio without a range is shown as a mark of four pixels.
        let width = (x(*to) - x(*from)).max(4.0);
        let middle = f64::midpoint(x(*from), x(*to));
        let _ = writeln!(
            svg,
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"14\" rx=\"2\"/>",
            middle - width / 2.0,
            y + 8.0
        );
        let label = if from == to { from.to_string() } else { format!("{from} to {to}") };
        let right = middle + width / 2.0 + 6.0;
        let _ = writeln!(svg, "<text class=\"small\" x=\"{right:.1}\" y=\"{:.1}\">{label}</text>", y + 19.0);
    }
    let _ = writeln!(
        svg,
        "<text class=\"small\" x=\"12\" y=\"{}\">docs/performance.md has figures and machines</text>",
        foot + 34.0
    );
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{CHART, DOCUMENT, Row, row, rows, svg, x};

    #[test]
    fn a_ratio_is_a_number_or_a_range() {
        let expected = Row { program: "a loop".into(), other: "Vec&lt;T&gt;".into(), from: 0.5, to: 2.0 };
        assert_eq!(row("| a loop | `Vec<T>` | 0.5 to 2.0 | `x` |"), Ok(expected));
        assert_eq!(row("| a | b | 5 | `x` |").map(|row| (row.from, row.to)), Ok((5.0, 5.0)));
        for ratio in ["", "fast", "0.01", "64", "1 to"] {
            assert!(row(&format!("| a | b | {ratio} | `x` |")).is_err(), "{ratio}");
        }
        assert!(rows("# No table\n").is_err());
    }

    #[test]
    fn equal_factors_are_equally_long() {
        assert!((x(4.0) - x(1.0) - (x(1.0) - x(0.25))).abs() < 1e-9);
    }

    #[test]
    fn the_chart_is_that_of_the_table() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of the repository");
        let read = |path: &str| fs::read_to_string(root.join(path)).expect("it can be read");
        let rows = rows(&read(DOCUMENT)).expect("a table");
        assert_eq!(rows.len(), 10, "the table answers one question in ten rows");
        assert_eq!(read(CHART), svg(&rows), "`cargo xtask bench chart` draws {CHART} anew");
    }
}
