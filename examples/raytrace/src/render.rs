//! Taking the picture.

use std::time::{Duration, Instant};

use ikra::Place;
use ikra::prelude::*;

use crate::model::{Pixel, Stage, Studio, Vector, View, pixel};
use crate::scene::{Picture, Scene};
use crate::studio::{self, Order};

/// A scene with a camera, ready for rendering.
#[derive(Debug)]
pub struct Renderer {
    studio: Studio,
    stage: Link<Stage>,
    view: View,
    place: Place,
    samples: u32,
}

impl Renderer {
    /// Builds the objects.
    ///
    /// # Errors
    ///
    /// If the scene has too many objects.
    pub fn new(scene: &Scene, picture: &Picture, order: Order, place: Place) -> Result<Self, ikra::Error> {
        let pixels = picture.width as usize * picture.height as usize;
        let (studio, stage) = studio::build(scene, order, pixels)?;
        Ok(Self { studio, stage, view: scene.view(picture), place, samples: 0 })
    }

    /// Opens the place, and prints its name. On a GPU this copies all objects there, so that the copy is not timed.
    ///
    /// # Errors
    ///
    /// If the place does not exist.
    pub fn open(&mut self) -> Result<String, ikra::Error> {
        let mut studio = self.studio.on(self.place);
        let worker = studio.open()?;
        if self.place != Place::Host {
            studio.execute(Pixel::sample, (self.stage, self.view, 0))?;
            studio.execute(Pixel::clear, ())?;
            studio.synchronize()?;
        }
        Ok(worker)
    }

    /// Adds samples to each pixel. Returns the time that it took.
    ///
    /// # Errors
    ///
    /// The errors of the place.
    pub fn sample(&mut self, samples: u32) -> Result<Duration, ikra::Error> {
        let start = Instant::now();
        let mut studio = self.studio.on(self.place);
        for _ in 0..samples {
            studio.execute(Pixel::sample, (self.stage, self.view, self.samples))?;
            self.samples += 1;
        }
        studio.synchronize()?;
        Ok(start.elapsed())
    }

    /// The sum of all samples of each pixel.
    pub fn light(&mut self) -> Vec<Vector> {
        self.studio.pixels.copy_column(pixel::light)
    }

    /// The world, and the arguments of a sample.
    pub fn parts(&mut self) -> (&mut Studio, Link<Stage>, View) {
        (&mut self.studio, self.stage, self.view)
    }

    /// The sum of samples of one pixel, by sequential code.
    pub fn light_of(&self, pixel: u32, samples: u32) -> Vector {
        let stage = self.studio.get(self.stage);
        (0..samples).fold(Vector::ZERO, |sum, sample| sum + stage.light(&self.view, pixel, sample))
    }
}
