//! How ranks send bytes to each other.

mod local;
#[cfg(feature = "mpi")]
mod mpi;

use std::fmt::Debug;
use std::mem::MaybeUninit;

pub(crate) use local::connected;
#[cfg(feature = "mpi")]
pub(crate) use mpi::Mpi;

/// The bytes of a message. Some may be the padding of values, which has no contents.
pub type Bytes = Vec<MaybeUninit<u8>>;

/// A rank that can no longer be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The rank.
    pub rank: usize,
}

/// The connection of one rank to the others. [`Cluster::over`](crate::Cluster::over) makes a cluster of them.
///
/// # Safety
///
/// 1. A message arrives with the bytes that were sent, and messages from one rank to another arrive in their order.
/// 2. All ranks run the same program, compiled in the same way for the same kind of machine.
/// 3. If `are_threads` is true, all ranks are threads of this process.
pub unsafe trait Transport: Send + Debug {
    /// This rank's number, counted from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Whether the ranks are threads of this process, so that their devices can copy from each other. On each rank the same.
    fn are_threads(&self) -> bool {
        false
    }

    /// Sends messages to other ranks, and receives one from each rank in `from`, in this order. Neither waits for the
    /// other: two ranks may send to each other at the same time.
    ///
    /// # Errors
    ///
    /// [`Lost`] for a rank that has ended.
    fn exchange(&mut self, outgoing: Vec<(usize, Bytes)>, from: &[usize]) -> Result<Vec<Bytes>, Lost>;
}
