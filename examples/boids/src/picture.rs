//! Pictures of the boids, seen along the third axis.

use std::f32::consts::TAU;

use example_program::{Output, Picture, Unwritable};
use gif::{Encoder, Frame, Repeat};

/// Width and height in pixels.
const SIZE: usize = 600;
/// The number of headings that have a colour.
const HEADINGS: usize = 48;
/// The time for which a picture of the animation is shown, in hundredths of a second.
const DELAY: u16 = 5;

/// The number of the colour of each pixel, by rows: 0 is the background.
fn pixels(boids: &[([f32; 3], [f32; 3])], size: f32) -> Vec<u8> {
    let mut pixels = vec![0; SIZE * SIZE];
    let pixel = |x: f32| ((x / size * SIZE as f32) as usize).min(SIZE - 1);
    for (pos, vel) in boids {
        let turns = vel[1].atan2(vel[0]) / TAU + 1.0;
        let colour = (turns * HEADINGS as f32) as usize % HEADINGS + 1;
        let (x, y) = (pixel(pos[0]), SIZE - 1 - pixel(pos[1]));
        for (x, y) in [(x, y), ((x + 1) % SIZE, y), (x, (y + 1) % SIZE), ((x + 1) % SIZE, (y + 1) % SIZE)] {
            pixels[y * SIZE + x] = colour as u8;
        }
    }
    pixels
}

/// The colours: black, and one per heading.
fn palette() -> Vec<[u8; 3]> {
    let hue = |n: usize| {
        [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|shift| {
            let wave = (TAU * (n as f32 / HEADINGS as f32 - shift)).cos();
            (150.0 + 105.0 * wave) as u8
        })
    };
    std::iter::once([0; 3]).chain((0..HEADINGS).map(hue)).collect()
}

/// Draws the boids: positions and velocities.
pub(crate) fn draw(boids: &[([f32; 3], [f32; 3])], size: f32) -> Picture {
    let palette = palette();
    let mut picture = Picture::new(SIZE, SIZE, [0; 3]);
    for (n, colour) in pixels(boids, size).into_iter().enumerate().filter(|&(_, colour)| colour != 0) {
        picture.put(n % SIZE, n / SIZE, palette[usize::from(colour)]);
    }
    picture
}

/// An animation, kept in memory until it is written.
pub(crate) struct Animation {
    encoder: Encoder<Vec<u8>>,
}

/// The reason why writing to memory succeeds.
const IN_MEMORY: &str = "memory takes what is written";

impl Animation {
    pub(crate) fn new() -> Self {
        let palette = palette();
        let mut encoder = Encoder::new(Vec::new(), SIZE as u16, SIZE as u16, palette.as_flattened()).expect(IN_MEMORY);
        encoder.set_repeat(Repeat::Infinite).expect(IN_MEMORY);
        Self { encoder }
    }

    /// Adds a picture.
    pub(crate) fn frame(&mut self, boids: &[([f32; 3], [f32; 3])], size: f32) {
        let mut frame = Frame::from_indexed_pixels(SIZE as u16, SIZE as u16, pixels(boids, size), None);
        frame.delay = DELAY;
        self.encoder.write_frame(&frame).expect(IN_MEMORY);
    }

    pub(crate) fn write(self, output: Output) -> Result<(), Unwritable> {
        use std::io::Write;
        output.write(|file| file.write_all(&self.encoder.into_inner().expect(IN_MEMORY)))
    }
}
