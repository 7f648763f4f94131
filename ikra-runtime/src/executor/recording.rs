//! Sequences of runs that can be replayed.

use std::any::Any;

use crate::error::Error;
use crate::place::Place;

/// A sequence of kernels that can be replayed; on a GPU a replay costs one launch. See
/// [`On::record`](super::On::record).
///
/// It belongs to its world and place, in their state at the time of recording. Replaying it elsewhere, or after objects
/// were added, is an error. It may outlive the world.
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
    /// The generation of ids at the time of recording.
    generation: u64,
}

impl Recording {
    pub(super) fn new(place: Place, recorded: Recorded, generation: u64) -> Self {
        Self { place, recorded, generation }
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// The place where it was recorded and can be replayed.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// The executor's data, if the executor's recorder made it.
    #[doc(hidden)]
    pub fn recorded<T: Any>(&self) -> Option<&T> {
        self.recorded.downcast_ref()
    }
}

/// An executor's data of a recording.
pub type Recorded = Box<dyn Any + Send + Sync>;

/// Records the runs that are started at a place.
pub trait Recorder: Send + Sync {
    /// Calls `sequence` once, and records the runs that it starts. Recording ends with it, also after a panic.
    ///
    /// # Errors
    ///
    /// The errors of `sequence`; [`Error::NotRecordable`] if one of its operations failed.
    fn record(&self, sequence: &mut dyn FnMut() -> Result<(), Error>) -> Result<Recorded, Error>;
}
