//! Animated maps as GIF.

use std::io::{self, Write};

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use crate::Picture;

/// The time for which a picture is shown, in hundredths of a second.
const DELAY: u16 = 6;
/// The number of bits of red, green and blue by which colours are distinguished.
const BITS: u32 = 5;

/// A GIF, picture by picture, kept in memory until it is written. All pictures share one palette: the first picture's
/// colours, and the markers' colours.
///
/// ```
/// use streets::{Animation, City, Map, Marker, Theme};
///
/// let network = City { junctions: 50, ..City::default() }.build();
/// let map = Map::new(&network, 200, 150, Theme::Light).unwrap();
/// let red = [220, 40, 40];
/// let mut gif = Animation::new(&map.picture(), &[red]);
/// for tick in 0..10 {
///     let mut picture = map.picture();
///     picture.mark([Marker { at: network.position_on(0, 10.0 * tick as f32), colour: red, radius: 4.0 }]);
///     gif.frame(&picture);
/// }
/// let mut file = Vec::new();
/// gif.write(&mut file).unwrap();
/// assert!(file.starts_with(b"GIF89a"));
/// ```
pub struct Animation {
    encoder: Encoder<Vec<u8>>,
    palette: Vec<[u8; 3]>,
    /// The palette entry nearest to each colour; [`UNSEEN`] if it was not searched yet.
    nearest: Vec<u16>,
    /// The current picture.
    shown: Vec<u8>,
    width: u16,
    height: u16,
}

/// Stands for a colour without an entry.
const UNSEEN: u16 = u16::MAX;
/// A pixel that does not change.
const SAME: u8 = 255;

/// The reason why writing to memory succeeds.
const IN_MEMORY: &str = "memory takes what is written";

impl Animation {
    /// Begins with a picture. `markers` are the colours that later pictures add.
    ///
    /// # Panics
    ///
    /// If the picture has 2¹⁶ pixels or more in one direction.
    #[must_use]
    pub fn new(first: &Picture, markers: &[[u8; 3]]) -> Self {
        let size = |pixels: u32| u16::try_from(pixels).expect("less than 2¹⁶ pixels in each direction");
        let (width, height) = (size(first.width()), size(first.height()));
        let palette = palette(first, markers);
        let mut encoder = Encoder::new(Vec::new(), width, height, palette.as_flattened()).expect(IN_MEMORY);
        encoder.set_repeat(Repeat::Infinite).expect(IN_MEMORY);
        let (nearest, shown) = (vec![UNSEEN; 1 << (3 * BITS)], Vec::new());
        let mut animation = Self { encoder, palette, nearest, shown, width, height };
        animation.frame(first);
        animation
    }

    /// Adds a picture.
    ///
    /// # Panics
    ///
    /// If its size differs from the first picture's.
    pub fn frame(&mut self, picture: &Picture) {
        let size = (u32::from(self.width), u32::from(self.height));
        assert_eq!((picture.width(), picture.height()), size, "pictures of one size");
        let pixels = picture.rgb();
        let indices: Vec<u8> = pixels.as_chunks().0.iter().map(|&colour| self.index(colour)).collect();
        // Only the changed part.
        let changed: Vec<u8> = if self.shown.is_empty() {
            indices.clone()
        } else {
            indices.iter().zip(&self.shown).map(|(&new, &old)| if new == old { SAME } else { new }).collect()
        };
        let mut frame = Frame::from_indexed_pixels(self.width, self.height, changed, Some(SAME));
        frame.delay = DELAY;
        frame.dispose = DisposalMethod::Keep;
        self.shown = indices;
        self.encoder.write_frame(&frame).expect(IN_MEMORY);
    }

    /// Writes the file.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn write(self, mut writer: impl Write) -> io::Result<()> {
        writer.write_all(&self.encoder.into_inner().expect(IN_MEMORY))?;
        writer.flush()
    }

    /// The nearest colour of the palette.
    fn index(&mut self, colour: [u8; 3]) -> u8 {
        let cell = cell(colour);
        if self.nearest[cell] == UNSEEN {
            let distance =
                |other: &[u8; 3]| -> i32 { (0..3).map(|n| (i32::from(other[n]) - i32::from(colour[n])).pow(2)).sum() };
            let found = (0..self.palette.len()).min_by_key(|&n| distance(&self.palette[n])).unwrap_or(0);
            self.nearest[cell] = found as u16;
        }
        self.nearest[cell] as u8
    }
}

/// The distinguished colours.
fn cell(colour: [u8; 3]) -> usize {
    colour.iter().fold(0, |cell, &value| cell << BITS | usize::from(value >> (8 - BITS)))
}

/// The markers' colours, pure and half mixed with the background, and the most frequent colours of the map.
fn palette(first: &Picture, markers: &[[u8; 3]]) -> Vec<[u8; 3]> {
    let mut cells = vec![(0_u32, [0_u32; 3]); 1 << (3 * BITS)];
    for colour in first.rgb().as_chunks::<3>().0 {
        let (count, sums) = &mut cells[cell(*colour)];
        *count += 1;
        (0..3).for_each(|n| sums[n] += u32::from(colour[n]));
    }
    cells.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
    let background = first.pixel(0, 0);
    let mixed = markers
        .iter()
        .map(|marker| std::array::from_fn(|n| ((u16::from(marker[n]) + u16::from(background[n])) / 2) as u8));
    let map = cells.iter().filter(|&&(count, _)| count > 0).map(|&(count, sums)| sums.map(|sum| (sum / count) as u8));
    let mut palette: Vec<[u8; 3]> = markers.iter().copied().chain(mixed).chain(map).take(usize::from(SAME)).collect();
    palette.resize(usize::from(SAME) + 1, [0; 3]);
    palette
}
