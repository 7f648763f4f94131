//! The position of the camera, and the sky behind all shapes.

use ikra::prelude::*;
use ikra::rng::Random;

use super::{Ray, Vector, disc};

/// The sky, which shines.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Sky {
    /// Its colour at and below the horizon.
    pub horizon: Vector,
    /// Its colour at the zenith.
    pub zenith: Vector,
    /// The direction to the sun, of length 1.
    pub to_sun: Vector,
    /// The sun's colour.
    pub sun: Vector,
    /// The larger this number, the smaller the sun: the brightness falls as the 2ᵏth power of the angle's cosine.
    pub sharpness: u32,
}

impl Sky {
    /// The light from a direction.
    pub fn light(&self, direction: Vector) -> Vector {
        let above = if direction.y > 0.0 { direction.y.sqrt() } else { 0.0 };
        let cosine = direction.dot(self.to_sun);
        let mut glow = if cosine > 0.0 { cosine } else { 0.0 };
        for _ in 0..self.sharpness {
            glow = glow * glow;
        }
        self.horizon * (1.0 - above) + self.zenith * above + self.sun * glow
    }
}

/// The settings of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct View {
    /// The seed of all random numbers.
    pub seed: u64,
    /// The number of pixels per row.
    pub width: u32,
    /// The largest number of bounces.
    pub bounces: u32,
    /// The eye.
    pub eye: Vector,
    /// The vector from the eye to the picture's upper left corner, in the plane that is in focus.
    pub corner: Vector,
    /// The step from a pixel to the next one in its row.
    pub across: Vector,
    /// The step from a pixel to the next one in its column.
    pub down: Vector,
    /// The vector from the middle of the lens to its right rim.
    pub lens_right: Vector,
    /// The vector from the middle of the lens to its upper rim.
    pub lens_up: Vector,
    /// See [`Hit::gap`](super::Hit::gap).
    pub gap: f32,
    /// The sky behind all shapes.
    pub sky: Sky,
}

impl View {
    /// A ray through a random point of a pixel and a random point of the lens.
    pub fn ray(&self, pixel: u32, random: &mut Random) -> Ray {
        let x = (pixel % self.width) as f32 + random.uniform_f32();
        let y = (pixel / self.width) as f32 + random.uniform_f32();
        let (right, up) = disc(random);
        let on_lens = self.lens_right * right + self.lens_up * up;
        let sharp = self.corner + self.across * x + self.down * y;
        Ray { origin: self.eye + on_lens, direction: (sharp - on_lens).unit() }
    }
}
