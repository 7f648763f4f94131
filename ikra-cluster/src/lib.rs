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
//! # The words
//!
//! | word | meaning |
//! | --- | --- |
//! | rank | one of the processes, by its number, counted from 0 |
//! | owner | the rank that runs kernels for an object. Each rank owns consecutive objects of each class |
//! | ghost | an object of another rank to which an object of this rank links |
//! | stale | a column whose values are current for a rank's own objects only |
//!
//! # The rules
//!
//! 1. Each rank runs the same program: it makes the same objects, runs the same kernels, and reads the same columns, in the
//!    same order. A rank that prints nothing reads all the same. Ranks that differ get an error that says where each is.
//! 2. Every rank has memory for all objects. So ids and links mean the same everywhere, any number of threads and ranks give
//!    the same bits, and a rank can run any kernel. A world that does not fit into one machine's memory does not fit here.
//! 3. The first `n` objects of a class belong to the first rank, and so on. Sort a class by a key before
//!    ([`sort_by_key`](ikra_runtime::world::World::sort_by_key)), so that objects which interact get near each other: then
//!    ranks exchange little.
//!
//! # How kernels run
//!
//! | kernel | objects per rank | before it |
//! | --- | --- | --- |
//! | reads other objects through its links, or those that the program gives it | its own | values of ghosts, of the columns that it reads and that have changed |
//! | for pairs; calls `self.all()` or `self.resolve(link)`; takes groups; calls functions of yours | its own | whole columns of the fields that it may read |
//! | updates atomic fields of other objects; makes or removes objects; for a list, or for a class with removed objects; writes to an `InnerArray` of varying length; a chain with `select` | all | all columns that have changed |
//!
//! Reductions combine their results in the same order as on one place. [`Cluster::traffic`] counts bytes and messages, and
//! says how many kernels ran in which way.
//!
//! A kernel's text shows which fields it reads of other objects, unless it hides that: a trait of yours whose method has the
//! name of one of the standard library's. A debug build checks each such read, and panics with the name of the field.
//!
//! # Errors
//!
//! A rank that panics or returns early ends the others with [`Error::Cluster`](ikra_runtime::error::Error::Cluster), which
//! names it, at their next exchange with it.

#![warn(unreachable_pub, clippy::multiple_unsafe_ops_per_block)]
#![cfg_attr(docsrs, feature(doc_cfg), doc(auto_cfg = false))]

mod cluster;
mod executor;
mod halo;
mod names;
mod newer;
mod pack;
mod ranks;
mod reach;
mod results;
mod state;
mod transport;
mod updates;

pub use cluster::Cluster;
pub use ranks::Traffic;
pub use transport::{Bytes, Lost, Transport};
