//! The kernels of a step, at any place.

use ikra::On;
use ikra::prelude::*;

use crate::model::{Body, Sim};

/// The acceleration of all bodies, from scratch.
pub(crate) fn attract(sim: &mut On<'_, Sim>, softening2: f64) -> Result<(), ikra::Error> {
    sim.execute_pairs(Body::attract, softening2)
}

/// A leap-frog step.
pub(crate) fn step(sim: &mut On<'_, Sim>, dt: f64, softening2: f64) -> Result<(), ikra::Error> {
    sim.execute(Body::kick_drift, dt)?;
    attract(sim, softening2)?;
    sim.execute(Body::kick, dt)
}

/// Energy of all bodies, and the strongest acceleration of any.
pub(crate) fn measure(sim: &mut On<'_, Sim>) -> Result<(f64, f64), ikra::Error> {
    Ok((sim.execute_and_reduce(Body::energy, (), Sum)?, sim.execute_and_reduce(Body::strength, (), Max)?))
}
