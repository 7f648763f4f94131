//! The model: a picture, and a filter that seldom changes. Compiled for the host and for the GPU.

use ikra::prelude::*;

/// A factor of the filter, and the place of the pixel that it is for, beside the pixel that is computed.
#[soa_class]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tap {
    /// Pixels to the right.
    pub dx: i32,
    /// Pixels down.
    pub dy: i32,
    /// The factor.
    pub weight: f32,
}

/// A pixel; they are in rows from the top.
#[soa_class]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pixel {
    /// Red, green and blue, from 0 to 1.
    pub light: [f32; 3],
}

#[soa_methods]
impl Pixel {
    /// Adds up the light of the pixels around it. Beyond the picture's edge it is as on the edge.
    #[kernel(snapshot(light))]
    pub fn filter(&mut self, width: u32, height: u32) {
        let pixels = self.all::<Pixel>();
        let at = self.link().index() as u32;
        let (x, y) = ((at % width) as i32, (at / width) as i32);
        let mut sum = [0.0; 3];
        for tap in self.all::<Tap>() {
            let x = (x + tap.dx()).clamp(0, width as i32 - 1) as u32;
            let y = (y + tap.dy()).clamp(0, height as i32 - 1) as u32;
            if let Some(near) = pixels.get((y * width + x) as usize) {
                let light = near.light();
                for k in 0..3 {
                    sum[k] += tap.weight() * light[k];
                }
            }
        }
        self.light = sum;
    }
}
