//! Sequences of runs that can be run again.

use std::any::Any;

use crate::error::Error;
use crate::objects::generation;
use crate::place::Place;

/// A sequence of kernels that can be run again: on a GPU at the cost of one launch. See [`On::record`](super::On::record).
///
/// It belongs to the world that it was made in, at the place where it was made, as that world was then: elsewhere, or
/// after objects were added, replaying it is an error. It may outlive the world.
///
/// ```
/// # use ikra::{Place, prelude::*};
/// # #[soa_class] pub struct Body { pub pos: f32, pub vel: f32 }
/// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
/// # #[soa_methods]
/// # impl Body { #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += dt * self.vel; } }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut sim = Sim::new();
/// let step: ikra::Recording = sim.on(Place::Host).record(|sim| sim.execute(Body::advance, 0.01))?;
/// assert_eq!(step.place(), Place::Host);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Recording {
    place: Place,
    recorded: Recorded,
    /// The generation of ids that it was made in.
    generation: u64,
}

impl Recording {
    pub(super) fn new(place: Place, recorded: Recorded) -> Self {
        Self { place, recorded, generation: generation() }
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Where it was made, and can be run.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// What an executor recorded, if it was one that records this.
    #[doc(hidden)]
    pub fn recorded<T: Any>(&self) -> Option<&T> {
        self.recorded.downcast_ref()
    }
}

/// What an executor recorded.
pub type Recorded = Box<dyn Any + Send + Sync>;

/// Records what is started at a place.
pub trait Recorder: Send + Sync {
    /// Records what `sequence` starts, which it calls once. However that ends, nothing is recorded afterwards.
    ///
    /// # Errors
    ///
    /// Those of `sequence`; [`Error::NotRecordable`] if something that it did failed.
    fn record(&self, sequence: &mut dyn FnMut() -> Result<(), Error>) -> Result<Recorded, Error>;
}
