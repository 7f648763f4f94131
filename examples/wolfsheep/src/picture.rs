//! Pictures of the field, and of populations below it.

use std::io::{self, Write};

use example_program::Picture;
use gif::{Encoder, Frame, Repeat};
use wolfsheep::{Counts, Field, Parameters};

/// Bare earth, grass, sheep, wolf.
pub(crate) const COLOURS: [[u8; 3]; 4] =
    [[0xd8, 0xc7, 0x9e], [0x7c, 0xb3, 0x5a], [0xff, 0xff, 0xff], [0x8b, 0x1e, 0x2d]];
/// The least width of a picture in pixels, unless a cell is one already.
const WIDTH: usize = 600;
/// The height of the populations in pixels.
const STRIP: usize = 160;
/// The time for which a picture is shown, in hundredths of a second.
const DELAY: u16 = 8;

/// The kind of each cell, by its number in [`COLOURS`].
pub(crate) fn kinds(field: &Field) -> Vec<u8> {
    field.cells().map(|cell| cell as u8).collect()
}

/// Pixels per cell.
fn scale(parameters: &Parameters) -> usize {
    (WIDTH / parameters.size[0] as usize).max(1)
}

/// The field, and the populations of all steps so far below it.
pub(crate) fn field_and_populations(field: &Field, parameters: &Parameters, history: &[Counts]) -> Picture {
    let scale = scale(parameters);
    let [width, height] = parameters.size.map(|side| side as usize * scale);
    let mut picture = Picture::new(width, height + STRIP, [0x30, 0x34, 0x3a]);
    let kinds = kinds(field);
    for y in 0..height {
        for x in 0..width {
            let kind = kinds[y / scale * (width / scale) + x / scale];
            picture.put(x, y, COLOURS[kind as usize]);
        }
    }
    let counts = |counts: &Counts| [counts.grass, counts.sheep, counts.wolves];
    let most = history.iter().flat_map(counts).max().unwrap_or(1).max(1);
    let colours = [COLOURS[1], COLOURS[2], [0xf0, 0x5a, 0x6a]];
    for x in 0..width {
        let step = x * (history.len() - 1) / width.max(2).saturating_sub(1);
        for (count, colour) in counts(&history[step]).into_iter().zip(colours) {
            let y = height + STRIP - 2 - count * (STRIP - 4) / most;
            picture.put(x, y, colour);
            picture.put(x, y + 1, colour);
        }
    }
    picture
}

/// A GIF of the field, kept in memory until it is written.
pub(crate) struct Animation {
    encoder: Encoder<Vec<u8>>,
    width: u16,
    height: u16,
    scale: usize,
}

/// The reason why writing to memory succeeds.
const IN_MEMORY: &str = "memory takes what is written";

impl Animation {
    pub(crate) fn new(field: &Field, parameters: &Parameters) -> Self {
        // Of fields that are too large for the format, the upper left part is shown.
        let scale = scale(parameters);
        let [width, height] = parameters.size.map(|side| (side as usize * scale).min(u16::MAX.into()) as u16);
        let mut encoder = Encoder::new(Vec::new(), width, height, COLOURS.as_flattened()).expect(IN_MEMORY);
        encoder.set_repeat(Repeat::Infinite).expect(IN_MEMORY);
        let mut animation = Self { encoder, width, height, scale };
        animation.frame(field);
        animation
    }

    pub(crate) fn frame(&mut self, field: &Field) {
        let (kinds, across) = (kinds(field), field.width());
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        let pixel = |n: usize| kinds[n / width / self.scale * across + n % width / self.scale];
        let pixels: Vec<u8> = (0..width * height).map(pixel).collect();
        let mut frame = Frame::from_indexed_pixels(self.width, self.height, pixels, None);
        frame.delay = DELAY;
        self.encoder.write_frame(&frame).expect(IN_MEMORY);
    }

    pub(crate) fn write(self, writer: &mut impl Write) -> io::Result<()> {
        writer.write_all(&self.encoder.into_inner().expect(IN_MEMORY))
    }
}
