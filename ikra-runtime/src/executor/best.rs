//! The place that suits a world best.

use std::fmt;

use super::host;
use crate::error::Error;
use crate::place::Place;
use crate::world::World;

impl Place {
    /// The best place for a world: the first GPU if it works, and otherwise the host.
    ///
    /// A GPU works if there is a driver and a device, and if the driver accepts the world's device code. It is opened
    /// for the world. The returned value implements `Display`, to tell the user the place and the reason:
    ///
    /// ```
    /// use ikra::{Place, prelude::*};
    /// # #[soa_class] pub struct Body { pub pos: f32, pub vel: f32 }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; } }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # fn main() -> Result<(), ikra::Error> {
    /// let mut sim = Sim::new();
    /// let best = Place::best(&mut sim);
    /// // `gpu:0 (NVIDIA H100)`, or `host (16 threads), since …`.
    /// println!("runs on {best}");
    /// sim.on(best.place).execute(Body::advance, 0.01)?;
    /// # assert!(best.to_string().contains(&best.worker));
    /// # Ok(()) }
    /// ```
    pub fn best<W: World>(world: &mut W) -> BestPlace {
        let gpu = Self::Gpu(0);
        match world.on(gpu).open() {
            Ok(worker) => BestPlace { place: gpu, worker, not_gpu: None },
            Err(error) => BestPlace { place: Self::Host, worker: host::worker(), not_gpu: Some(error) },
        }
    }
}

/// The place that [`Place::best`] chose, and the reason. It implements `Display`.
///
/// ```
/// use ikra::{Place, prelude::*};
/// # #[soa_class] pub struct Body { pub pos: f32 }
/// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
/// let best = Place::best(&mut Sim::new());
/// assert_eq!(best.not_gpu.is_some(), best.place == Place::Host);
/// assert!(best.to_string().starts_with(&best.place.to_string()));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct BestPlace {
    /// The place.
    pub place: Place,
    /// The worker: a GPU's name, or a number of threads.
    pub worker: String,
    /// For the host: the reason why no GPU was chosen.
    pub not_gpu: Option<Error>,
}

impl fmt::Display for BestPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.place, self.worker)?;
        match &self.not_gpu {
            Some(error) => write!(f, ", since a GPU cannot be used: {error}"),
            None => Ok(()),
        }
    }
}
