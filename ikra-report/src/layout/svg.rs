//! Layouts as drawings, with bytes to scale from left to right.

use std::fmt::Write;

use super::{ClassLayout, WorldLayout};
use ikra_core::info::LayoutKind;

/// Width of the bars in pixels.
const WIDTH: f64 = 900.0;
/// Width of the names, left of the bars.
const LEFT: f64 = 170.0;
/// Height of a bar.
const BAR: f64 = 26.0;
/// Distance from one bar to the next.
const STEP: f64 = 34.0;
/// Pieces narrower than this are not drawn one by one.
const LEAST: f64 = 0.4;
/// The largest number of pieces drawn in one bar.
const MOST: usize = 4000;

const COLOURS: [&str; 10] =
    ["#4e79a7", "#f28e2b", "#76b7b2", "#e15759", "#59a14f", "#edc948", "#b07aa1", "#ff9da7", "#9c755f", "#8c8c8c"];

/// A drawing under construction.
struct Drawing {
    body: String,
    y: f64,
}

/// One coloured piece of storage: the elements of a column for some objects.
struct Piece {
    column: usize,
    start: usize,
    bytes: usize,
    /// The number of bytes of one element; its bounds are drawn if there is room.
    element: usize,
}

/// Draws the layout.
pub(super) fn draw(layout: &WorldLayout) -> String {
    let mut drawing = Drawing { body: String::new(), y: 40.0 };
    drawing.text(10.0, 24.0, 16, "start", &format!("world {}: {} bytes", layout.world, layout.bytes()));
    for class in &layout.classes {
        drawing.class(class);
    }
    let (width, height) = (LEFT + WIDTH + 30.0, drawing.y + 10.0);
    format!(
        concat!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" ",
            "font-family=\"sans-serif\">\n",
            "<defs><pattern id=\"padding\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" ",
            "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#f2f2f2\"/>",
            "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" stroke=\"#b0b0b0\" stroke-width=\"2\"/></pattern></defs>\n",
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
        ),
        w = width,
        h = height,
        body = drawing.body
    )
}

impl Drawing {
    fn class(&mut self, class: &ClassLayout) {
        self.y += 24.0;
        let tile = if let LayoutKind::Tiles(tile) = class.kind { format!(" of {tile}") } else { String::new() };
        let title = format!(
            "{}: {}{tile}, {} objects, {} bytes, {} of them padding",
            class.class,
            class.kind.name(),
            class.objects,
            class.bytes(),
            class.padding()
        );
        self.text(10.0, self.y, 14, "start", &title);
        self.y += 10.0;
        match (class.kind, class.fixed_capacity) {
            (LayoutKind::Soa, None) => self.own_columns(class),
            (LayoutKind::Soa, Some(capacity)) => {
                let pieces = columns_of(class, 0, capacity as usize);
                self.bar("storage", class.inlined_bytes(), class.inlined_bytes(), &pieces);
                self.axis(class.inlined_bytes());
            }
            (LayoutKind::Aos, _) => {
                let shown = self.blocks(class, 1, "objects");
                self.axis(shown);
            }
            (LayoutKind::Tiles(tile), _) => {
                let shown = self.blocks(class, tile, "tiles");
                self.axis(shown);
            }
        }
        self.legend(class);
    }

    /// One bar per column, all to the same scale.
    fn own_columns(&mut self, class: &ClassLayout) {
        let longest = class.columns.iter().map(|column| column.size * class.objects).max().unwrap_or(0);
        for (n, column) in class.columns.iter().enumerate() {
            let bytes = column.size * class.objects;
            let piece = Piece { column: n, start: 0, bytes, element: column.size };
            self.bar(&column.name, bytes, longest, &[piece]);
        }
        self.axis(longest);
    }

    /// Draws a bar of all blocks, and one of the first few in detail. Returns the number of bytes in the second one.
    fn blocks(&mut self, class: &ClassLayout, per_block: usize, name: &str) -> usize {
        let count = class.objects.div_ceil(per_block);
        let all = |count: usize| -> Vec<Piece> {
            (0..count).flat_map(|block| columns_of(class, block * class.block, per_block)).collect()
        };
        // The largest number of blocks that a reader can distinguish.
        let readable = (WIDTH / (class.columns.len() as f64 * 14.0)).floor().max(1.0) as usize;
        let shown = count.min(readable);
        if count > shown {
            let pieces = if count * class.columns.len() <= MOST { all(count) } else { Vec::new() };
            let bytes = count * class.block;
            self.bar(&format!("all {count} {name}"), bytes, bytes, &pieces);
            self.axis(bytes);
        }
        self.bar(&format!("first {shown} {name}"), shown * class.block, shown * class.block, &all(shown));
        shown * class.block
    }

    /// Draws one bar of `bytes` bytes; `full` bytes span the whole width. Bytes outside all pieces are padding.
    fn bar(&mut self, name: &str, bytes: usize, full: usize, pieces: &[Piece]) {
        let scale = WIDTH / full.max(1) as f64;
        self.text(LEFT - 8.0, self.y + BAR * 0.68, 12, "end", name);
        let fill = if pieces.is_empty() { "#d0d7de" } else { "url(#padding)" };
        self.rect(LEFT, bytes as f64 * scale, fill, "#444444");
        for piece in pieces {
            let (x, width) = (LEFT + piece.start as f64 * scale, piece.bytes as f64 * scale);
            if width >= LEAST {
                self.rect(x, width, COLOURS[piece.column % COLOURS.len()], "none");
                self.elements(x, piece, scale);
            }
        }
        self.y += STEP;
    }

    /// Lines between the elements of a piece, if they are far enough apart.
    fn elements(&mut self, x: f64, piece: &Piece, scale: f64) {
        let width = piece.element as f64 * scale;
        if width < 4.0 {
            return;
        }
        for n in 0..=piece.bytes / piece.element.max(1) {
            let x = x + n as f64 * width;
            let (top, bottom) = (self.y, self.y + BAR);
            let _ = writeln!(
                self.body,
                "<line x1=\"{x:.2}\" y1=\"{top:.1}\" x2=\"{x:.2}\" y2=\"{bottom:.1}\" stroke=\"white\" stroke-width=\"0.8\"/>"
            );
        }
    }

    /// Byte counts under a bar.
    fn axis(&mut self, bytes: usize) {
        let y = self.y + 4.0;
        for (part, anchor) in [(0.0, "start"), (0.25, "middle"), (0.5, "middle"), (0.75, "middle"), (1.0, "end")] {
            let x = LEFT + part * WIDTH;
            self.text(x, y, 10, anchor, &format!("{:.0}", part * bytes as f64));
        }
        let _ = writeln!(
            self.body,
            "<text x=\"{:.1}\" y=\"{y:.1}\" font-size=\"10\" text-anchor=\"end\" fill=\"#444444\">byte</text>",
            LEFT - 8.0
        );
        self.y += 16.0;
    }

    /// Draws the legend: the name, type and colour of each column.
    fn legend(&mut self, class: &ClassLayout) {
        let (mut x, mut y) = (LEFT, self.y + 10.0);
        let padding = class.padding() > 0;
        let names = class.columns.iter().map(|column| format!("{}: {}", column.name, column.type_name));
        let colours = COLOURS.iter().cycle().map(|colour| (*colour).to_owned());
        let entries = names.zip(colours).chain(padding.then(|| ("padding".to_owned(), "url(#padding)".to_owned())));
        for (name, colour) in entries.collect::<Vec<_>>() {
            let width = 26.0 + 6.4 * name.chars().count() as f64;
            if x + width > LEFT + WIDTH && x > LEFT {
                x = LEFT;
                y += 18.0;
            }
            let top = y - 10.0;
            let _ = writeln!(
                self.body,
                "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"12\" height=\"12\" fill=\"{colour}\" stroke=\"#444444\" stroke-width=\"0.5\"/>"
            );
            self.text(x + 16.0, y, 11, "start", &name);
            x += width;
        }
        self.y = y + 14.0;
    }

    fn rect(&mut self, x: f64, width: f64, fill: &str, stroke: &str) {
        let y = self.y;
        let _ = writeln!(
            self.body,
            "<rect x=\"{x:.2}\" y=\"{y:.1}\" width=\"{width:.2}\" height=\"{BAR}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"0.5\"/>"
        );
    }

    fn text(&mut self, x: f64, y: f64, size: u32, anchor: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"#222222\">{text}</text>"
        );
    }
}

/// The columns of one block of `per_block` objects that starts at byte `start`.
fn columns_of(class: &ClassLayout, start: usize, per_block: usize) -> Vec<Piece> {
    let pieces = class.columns.iter().enumerate().map(|(n, column)| Piece {
        column: n,
        start: start + column.offset.unwrap_or(0),
        bytes: column.size * per_block,
        element: column.size,
    });
    pieces.collect()
}
