//! Executors, which run kernels at a [place](crate::place).
//!
//! | module | contents |
//! | --- | --- |
//! | `on` | [`On`], the executors that users call; they work at every place |
//! | `over` | [`Over`], their short forms for a subset of the objects on the host |
//! | `at` | how [`On`] passes a run to the executor of its place |
//! | `choose` | executors of both whose results name objects: groups, and orders |
//! | `chosen` | objects that kernels choose: `select` |
//! | `map` | the results of kernels, to be combined or collected: `map` |
//! | `subset` | the objects of a run, as users name them |
//! | `run` | [`Executor`], the interface of each kind of place, and a run as a value |
//! | `host` | the host's implementation |
//! | `recording` | sequences of runs that can be replayed |
//! | `repeat` | loops of kernels |
//! | `worklist` | loops over the objects that the iteration before has found |
//! | `best` | the choice of a place for a world |

mod at;
mod best;
mod choice;
mod choose;
mod chosen;
mod host;
mod map;
mod on;
mod over;
mod recording;
mod repeat;
mod results;
mod run;
mod special;
mod subset;
mod worklist;

pub use crate::exec::{Extent, Part, SharedExtent, Sharing};
pub use best::BestPlace;
pub use choice::{Integer, NewOrder, Reordered};
pub use chosen::Chosen;
pub use map::{MapOn, MapOver};
pub use on::On;
pub use over::Over;
pub use recording::{Recorded, Recorder, Recording};
pub use repeat::Iteration;
pub use run::{Collection, Executor, Executors, Form, Launch, ObjectField, Reduction, Run, Section, Store};
pub(crate) use subset::Picked;
pub use subset::{Filtered, Filters, Named, Subset};
pub use worklist::{OfIteration, WorkLoop, Worked};
