//! The threads that run in lockstep, under `cuda_std`'s names: 32 on the device, one on the host.
//!
//! A kernel is called for one object per thread, and it is not specified which objects share a warp. Use this for
//! measurements, and to combine values that threads would otherwise write one by one, not for results.
//!
//! ```
//! use ikra::prelude::*;
//! use ikra::warp;
//!
//! #[soa_class(capacity = 1)]
//! pub struct Tally { #[atomic] pub calls: u32 }
//! #[soa_class]
//! pub struct Particle { pub energy: f32, pub tally: Link<Tally> }
//!
//! #[soa_methods]
//! impl Particle {
//!     #[kernel]
//!     pub fn count(&mut self) {
//!         // The active threads add once, for all of them.
//!         let here = warp::activemask();
//!         if warp::lane_id() == here.trailing_zeros() {
//!             self.tally.calls().add(here.count_ones());
//!         }
//!     }
//! }
//!
//! #[soa_world]
//! pub struct Gas { pub tallies: Objects<Tally>, pub particles: Objects<Particle> }
//!
//! # fn main() -> Result<(), ikra::Error> {
//! let mut gas = Gas::new();
//! let tally = gas.tallies.push(Tally { calls: 0 })?;
//! gas.particles.extend((0..1000).map(|_| Particle { energy: 0.0, tally }))?;
//! gas.execute(Particle::count, ());
//! assert_eq!(gas.get(tally).calls().load(), 1000);
//! # Ok(()) }
//! ```

use crate::target::warp;

/// The number of threads in a warp. (A function, since clippy would take the host's constant 1 for a mistake in `n %
/// 1`.)
///
/// ```
/// assert_eq!(ikra::warp::size(), 1);
/// ```
#[inline(always)]
#[must_use]
pub fn size() -> u32 {
    warp::SIZE
}

/// The thread's position in its warp, below [`size`].
///
/// ```
/// assert_eq!(ikra::warp::lane_id(), 0);
/// ```
#[inline(always)]
#[must_use]
pub fn lane_id() -> u32 {
    warp::lane_id()
}

/// The active threads of the warp, one bit per thread.
///
/// ```
/// assert_eq!(ikra::warp::activemask(), 1);
/// ```
#[inline(always)]
#[must_use]
pub fn activemask() -> u32 {
    warp::activemask()
}

/// The threads in `mask` for which `predicate` holds, one bit per thread.
///
/// ```
/// // SAFETY: on the host this thread is the warp.
/// assert_eq!(unsafe { ikra::warp::ballot(1, true) }, 1);
/// ```
///
/// # Safety
///
/// All threads in `mask` reach this call with one mask, and this thread is among them.
#[inline(always)]
#[must_use]
pub unsafe fn ballot(mask: u32, predicate: bool) -> u32 {
    // SAFETY: all threads in `mask` reach this call with it, and this thread is among them.
    unsafe { warp::ballot(mask, predicate) }
}

/// The value that the thread `lane XOR change` of the warp passes.
///
/// ```
/// // SAFETY: on the host this thread is the warp.
/// assert_eq!(unsafe { ikra::warp::shuffle_xor(1, 7, 0) }, 7);
/// ```
///
/// # Safety
///
/// As for [`ballot`], and that thread is in `mask`.
#[inline(always)]
#[must_use]
pub unsafe fn shuffle_xor(mask: u32, value: u32, change: u32) -> u32 {
    // SAFETY: all threads in `mask` reach this call with it; this thread and the source thread are among them.
    unsafe { warp::shuffle_xor(mask, value, change) }
}
