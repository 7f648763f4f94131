//! One world of objects over several processes, on one machine or on several.
//!
//! Each process, a *rank*, runs the same program with the same world, and runs kernels for some of the objects. **No line
//! of the program communicates**: a kernel's effects say which columns it reads through links, so the values that a rank
//! lacks are exchanged before the kernel runs, and no others.
//!
//! ```
//! use ikra::{Place, prelude::*};
//! use ikra_cluster::Cluster;
//!
//! #[soa_class]
//! pub struct Cell { pub heat: f32, pub left: Link<Cell>, pub right: Link<Cell> }
//!
//! #[soa_methods]
//! impl Cell {
//!     #[kernel(snapshot(heat))]
//!     pub fn spread(&mut self) {
//!         self.heat = 0.5 * self.heat + 0.25 * (self.left.heat() + self.right.heat());
//!     }
//!     #[kernel(reduce(Sum))]
//!     pub fn warmth(&self) -> f32 { self.heat }
//! }
//!
//! #[soa_world]
//! pub struct Rod { pub cells: Objects<Cell> }
//!
//! fn run(cluster: &Cluster) -> Result<f32, ikra::Error> {
//!     let mut rod = Rod::new();
//!     let links: Vec<_> = rod.cells.reserve(1000)?.collect();
//!     for n in 0..1000 {
//!         let (left, right) = (links[(n + 999) % 1000], links[(n + 1) % 1000]);
//!         rod.cells.init(links[n], Cell { heat: (n % 7) as f32, left, right })?;
//!     }
//!     cluster.share(&mut rod)?;
//!     for _ in 0..10 {
//!         rod.on(Place::Cluster).execute(Cell::spread, ())?;
//!     }
//!     rod.on(Place::Cluster).execute_and_reduce(Cell::warmth, (), Sum)
//! }
//!
//! # fn main() -> Result<(), ikra::Error> {
//! // Three ranks, which are threads of this process. `Cluster::mpi` gives ranks that `mpirun` started.
//! let sums = Cluster::threads(3, |cluster| run(&cluster));
//! let alone = Cluster::threads(1, |cluster| run(&cluster));
//! for sum in sums {
//!     assert_eq!(sum?, *alone[0].as_ref().unwrap()); // the same on each rank, to the last bit
//! }
//! # Ok(()) }
//! ```
//!
//! The page `docs/cluster.md` has the rules, and says how kernels run.
//!
//! | module | contents |
//! | --- | --- |
//! | `cluster` | [`Cluster`], the ranks as programs see them |
//! | `executor` | the executor: how a run becomes a part on each rank |
//! | `state` | who owns which objects, and which columns are stale |
//! | `reach`, `names` | what a kernel reads of other objects, by its effects |
//! | `halo`, `updates` | the exchange of ghosts' values, and of updates of their atomic fields |
//! | `across` | the same, from device to device |
//! | `checkpoints` | worlds on the disk, a part from each rank (feature `checkpoints`) |
//! | `device` | ranks whose kernels run on a GPU |
//! | `results` | results of kernels, completed by those of other ranks |
//! | `newer` | columns that the program reads, collected from all ranks |
//! | `partition` | orders of objects with few links between ranks (feature `metis`) |
//! | `pack` | values as bytes of messages |
//! | `ranks` | exchanges, checked: each rank is at the same operation |
//! | [`Transport`] | how bytes get from rank to rank: MPI, or channels between threads |

#![warn(unreachable_pub, clippy::multiple_unsafe_ops_per_block)]
#![cfg_attr(docsrs, feature(doc_cfg), doc(auto_cfg = false))]

mod across;
#[cfg(feature = "checkpoints")]
mod checkpoints;
mod cluster;
mod device;
mod executor;
mod halo;
mod names;
mod newer;
mod pack;
#[cfg(feature = "metis")]
mod partition;
mod ranks;
mod reach;
mod results;
mod state;
mod transport;
mod updates;

#[cfg(feature = "checkpoints")]
pub use checkpoints::Checkpoints;
pub use cluster::Cluster;
pub use ranks::Traffic;
pub use transport::{Bytes, Lost, Transport};

/// The examples of the page on clusters.
#[cfg(doctest)]
#[doc = include_str!("../../docs/cluster.md")]
struct Clusters;
