//! Executors, which run kernels at a [place](crate::place).
//!
//! | module | contents |
//! | --- | --- |
//! | `on` | [`On`], the executors that users call; they work at every place |
//! | `over` | [`Over`], their short forms for a subset of the objects on the host |
//! | `at` | how [`On`] passes a run to the executor of its place |
//! | `choose` | executors of both whose results name objects: selections and groups |
//! | `subset` | the objects of a run, as users name them |
//! | `run` | [`Executor`], the interface of each kind of place, and a run as a value |
//! | `host` | the host's implementation |
//! | `recording` | sequences of runs that can be replayed |
//! | `best` | the choice of a place for a world |

mod at;
mod best;
mod choose;
mod host;
mod on;
mod over;
mod recording;
mod run;
mod subset;

pub use crate::exec::{Extent, Part};
pub use best::BestPlace;
pub use on::On;
pub use over::Over;
pub use recording::{Recorded, Recorder, Recording};
pub use run::{Executor, Executors, Form, Launch, Reduction, Run, Section};
pub(crate) use subset::Picked;
pub use subset::{Named, Subset};
