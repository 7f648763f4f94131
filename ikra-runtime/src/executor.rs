//! What runs kernels at a [place](crate::place).
//!
//! | module | what it holds |
//! | --- | --- |
//! | `on` | [`On`], the executors that users call, once for all places |
//! | `run` | [`Executor`], what each kind of place implements, and a run as a value |
//! | `host` | the host's implementation |
//! | `recording` | sequences of runs that can be run again |
//! | `best` | which place suits a world |

mod best;
mod host;
mod on;
mod recording;
mod run;

pub use best::BestPlace;
pub use on::On;
pub use recording::{Recorded, Recorder, Recording};
pub use run::{Executor, Executors, Form, Launch, Over, Reduction, Run, Section};
