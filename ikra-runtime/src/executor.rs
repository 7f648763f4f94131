//! What runs kernels at a [place](crate::place).
//!
//! | module | what it holds |
//! | --- | --- |
//! | `on` | [`On`], the executors that users call, once for all places |
//! | `over` | [`Over`], their short forms for some objects on the host |
//! | `at` | how [`On`] gives a run to the executor of its place |
//! | `subset` | which objects a run is for, as users name them |
//! | `run` | [`Executor`], what each kind of place implements, and a run as a value |
//! | `host` | the host's implementation |
//! | `recording` | sequences of runs that can be run again |
//! | `best` | which place suits a world |

mod at;
mod best;
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
