//! The picture.

use ikra::prelude::*;

use super::{Stage, Vector, View};

/// A pixel.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Pixel {
    /// The sum of its samples.
    pub light: Vector,
}

#[soa_methods]
impl Pixel {
    /// Resets all samples.
    #[kernel]
    pub fn clear(&mut self) {
        self.light = Vector::ZERO;
    }

    /// Adds the light of a path through a random point of the pixel.
    #[kernel(heavy)]
    pub fn sample(&mut self, stage: Ref<Stage>, view: View, sample: u32) {
        self.light += stage.light(&view, self.link().id() - 1, sample);
    }
}
