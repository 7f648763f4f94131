//! The kernels of a step, at any place.

use ikra::prelude::*;
use ikra::{Iteration, On};

use crate::model::{Body, Record, Sim, record};

/// The accelerations at the start, and the first entry of the record.
pub(crate) fn start(sim: &mut On<'_, Sim>, softening2: f64, record: Link<Record>) -> Result<(), ikra::Error> {
    sim.repeat(1, |step| {
        step.execute_pairs(Body::attract, softening2)?;
        measure(step, record)?;
        step.execute(Record::begin, ())
    })
}

/// Leap-frog steps; the record keeps the largest values.
pub(crate) fn steps(
    sim: &mut On<'_, Sim>,
    count: u32,
    dt: f64,
    softening2: f64,
    record: Link<Record>,
) -> Result<(), ikra::Error> {
    sim.repeat(count as usize, |step| {
        step.execute(Body::kick_drift, dt)?;
        step.execute_pairs(Body::attract, softening2)?;
        step.execute(Body::kick, dt)?;
        measure(step, record)?;
        step.execute(Record::note, ())
    })
}

/// Energy of all bodies, and the strongest acceleration of any.
fn measure(step: &mut Iteration<'_, Sim>, record: Link<Record>) -> Result<(), ikra::Error> {
    step.reduce_into(Body::energy, (), Sum, record, record::energy)?;
    step.reduce_into(Body::strength, (), Max, record, record::strength)
}
