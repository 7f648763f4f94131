//! A picture whose pixels are objects, and filters whose factors are.
#![forbid(unsafe_code)]

mod kind;
pub mod model;
mod plain;

use ikra::prelude::*;

pub use kind::{Kind, Unreadable};
pub use plain::filtered;

use example_program::Picture;
use model::{Pixel, Tap, pixel};

/// The world.
#[soa_world]
#[derive(Clone)]
pub struct Canvas {
    /// The filter.
    pub taps: Objects<Tap>,
    /// The picture.
    pub pixels: Objects<Pixel>,
}

impl Canvas {
    /// A world with a picture and a filter.
    ///
    /// # Errors
    ///
    /// [`ikra::Error::OutOfMemory`].
    pub fn of(picture: &Picture, taps: &[Tap]) -> Result<Self, ikra::Error> {
        let mut canvas = Self::new();
        canvas.taps.extend(taps.iter().copied())?;
        let light = |pixel: &[u8; 3]| Pixel { light: pixel.map(|part| f32::from(part) / 255.0) };
        canvas.pixels.extend(picture.pixels().iter().map(light))?;
        Ok(canvas)
    }

    /// The light of all pixels.
    #[must_use]
    pub fn light(&self) -> Vec<[f32; 3]> {
        self.pixels.copy_column(pixel::light)
    }
}

/// The picture of this light, so many pixels wide.
#[must_use]
pub fn developed(light: &[[f32; 3]], width: usize) -> Picture {
    let mut picture = Picture::new(width, light.len() / width, [0; 3]);
    for (n, light) in light.iter().enumerate() {
        picture.put(n % width, n / width, light.map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8));
    }
    picture
}

/// A picture of rings, stripes and squares, to see what a filter does.
#[must_use]
pub fn made_up(width: usize, height: usize) -> Picture {
    let mut picture = Picture::new(width, height, [0; 3]);
    for y in 0..height {
        for x in 0..width {
            let (dx, dy) = (x as f32 - width as f32 / 2.0, y as f32 - height as f32 / 2.0);
            let ring = (dx.hypot(dy) / 6.0) as usize % 2 * 200;
            let stripe = (x + y) / 16 % 2 * 120 + 60;
            let square = if x / 32 % 3 == y / 32 % 3 { 255 } else { 30 };
            picture.put(x, y, [ring as u8, stripe as u8, square]);
        }
    }
    picture
}
