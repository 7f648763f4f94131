//! Where the kernels run: the same ones on the host's cores and on a GPU.

use ikra::prelude::*;

use crate::model::{Body, Sim};

/// Host or GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Host,
    Gpu,
}

impl Place {
    /// Says who does the work.
    pub(crate) fn describe(self, sim: &mut Sim) -> Result<String, ikra::Error> {
        match self {
            Self::Host => Ok(format!("{} threads", rayon::current_num_threads())),
            Self::Gpu => Ok(sim.cuda_open(0)?.name),
        }
    }

    /// The acceleration of all bodies, from scratch.
    pub(crate) fn attract(self, sim: &mut Sim, softening2: f64) -> Result<(), ikra::Error> {
        match self {
            Self::Host => {
                sim.execute_pairs(Body::attract, softening2);
                Ok(())
            }
            Self::Gpu => sim.cuda_execute_pairs(Body::attract, softening2),
        }
    }

    /// A leap-frog step.
    pub(crate) fn step(self, sim: &mut Sim, dt: f64, softening2: f64) -> Result<(), ikra::Error> {
        match self {
            Self::Host => {
                sim.execute(Body::kick_drift, dt);
                self.attract(sim, softening2)?;
                sim.execute(Body::kick, dt);
                Ok(())
            }
            Self::Gpu => {
                sim.cuda_execute(Body::kick_drift, dt)?;
                self.attract(sim, softening2)?;
                sim.cuda_execute(Body::kick, dt)
            }
        }
    }

    /// Energy of all bodies, and the strongest acceleration of any.
    pub(crate) fn measure(self, sim: &mut Sim) -> Result<(f64, f64), ikra::Error> {
        Ok(match self {
            Self::Host => {
                (sim.execute_and_reduce(Body::energy, (), Sum), sim.execute_and_reduce(Body::strength, (), Max))
            }
            Self::Gpu => (
                sim.cuda_execute_and_reduce(Body::energy, (), Sum)?,
                sim.cuda_execute_and_reduce(Body::strength, (), Max)?,
            ),
        })
    }
}
