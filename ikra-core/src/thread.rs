//! The position of this thread, under `cuda_std`'s names.
//!
//! | | device | host |
//! | --- | --- | --- |
//! | a block | threads that share memory | one thread |
//! | the grid | the threads of the launch | the threads that run kernels |
//!
//! It is not specified which thread runs a kernel for which object. Use this for measurements, for diagnostics, and to
//! spread writes (so that fewer threads meet at one atomic), not for results.
//!
//! ```
//! use ikra::prelude::*;
//! use ikra::thread;
//!
//! /// One counter for many objects, in 64 parts.
//! #[soa_class(capacity = 64)]
//! pub struct Part { #[atomic] pub sum: u32 }
//! #[soa_class]
//! pub struct Visitor { pub steps: u32 }
//!
//! #[soa_methods]
//! impl Visitor {
//!     #[kernel]
//!     pub fn count(&mut self) {
//!         let part = thread::index_1d() % 64;
//!         if let Some(part) = self.all::<Part>().nth(part as usize) {
//!             part.sum().add(self.steps);
//!         }
//!     }
//! }
//!
//! #[soa_world]
//! pub struct Counting { pub parts: Objects<Part>, pub visitors: Objects<Visitor> }
//!
//! # fn main() -> Result<(), ikra::Error> {
//! let mut world = Counting::new();
//! world.parts.extend((0..64).map(|_| Part { sum: 0 }))?;
//! world.visitors.extend((0..10_000).map(|_| Visitor { steps: 2 }))?;
//! world.execute(Visitor::count, ());
//! assert_eq!(world.all::<Part>().map(|part| part.sum().load()).sum::<u32>(), 20_000);
//! # Ok(()) }
//! ```

use crate::target::thread;

/// The thread's position in its block; on the host 0.
///
/// ```
/// assert_eq!(ikra::thread::thread_idx_x(), 0);
/// ```
#[inline(always)]
#[must_use]
pub fn thread_idx_x() -> u32 {
    thread::thread_idx_x()
}

/// The block's position in the grid. On the host it is the thread's number in rayon's pool. It is 0 for threads outside
/// of the pool, which run kernels of few objects themselves.
///
/// ```
/// assert!(ikra::thread::block_idx_x() < ikra::thread::grid_dim_x());
/// ```
#[inline(always)]
#[must_use]
pub fn block_idx_x() -> u32 {
    thread::block_idx_x()
}

/// Threads of a block; on the host 1.
///
/// ```
/// assert_eq!(ikra::thread::block_dim_x(), 1);
/// ```
#[inline(always)]
#[must_use]
pub fn block_dim_x() -> u32 {
    thread::block_dim_x()
}

/// Blocks of the grid; on the host the threads that run kernels.
///
/// ```
/// assert!(ikra::thread::grid_dim_x() >= 1);
/// ```
#[inline(always)]
#[must_use]
pub fn grid_dim_x() -> u32 {
    thread::grid_dim_x()
}

/// The thread's position in the grid.
///
/// ```
/// use ikra::thread;
/// assert!(thread::index_1d() < thread::grid_dim_x() * thread::block_dim_x());
/// ```
#[inline(always)]
#[must_use]
pub fn index_1d() -> u32 {
    block_idx_x() * block_dim_x() + thread_idx_x()
}

/// Waits for all threads of the block.
///
/// ```
/// // SAFETY: on the host a block is one thread.
/// unsafe { ikra::thread::sync_threads() };
/// ```
///
/// # Safety
///
/// Every thread of the block reaches this call. A kernel does not know whether they do: it is called for objects, which
/// may be fewer than the threads.
#[inline(always)]
pub unsafe fn sync_threads() {
    // SAFETY: every thread of the block reaches this call, and so the barrier in it.
    unsafe { thread::sync_threads() }
}

/// Waits for all threads of the warp, and makes their writes to memory visible to each other.
///
/// ```
/// // SAFETY: on the host a warp is one thread.
/// unsafe { ikra::thread::sync_warp() };
/// ```
///
/// # Safety
///
/// Every thread of the warp reaches this call.
#[inline(always)]
pub unsafe fn sync_warp() {
    // SAFETY: every thread of the warp reaches this call, and so the barrier in it.
    unsafe { thread::sync_warp() }
}
