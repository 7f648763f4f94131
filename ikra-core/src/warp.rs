//! The threads that run in step, under `cuda_std`'s names: 32 on the device, one on the host.
//!
//! A kernel is called for one object per thread, and which objects share a warp is not specified: use this for
//! measurements, and to combine what threads would otherwise write one by one, not for results.
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
//!         // The threads that are here add once for all of them.
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

/// Threads of a warp. (A function, since the host's 1 as a constant would be taken for a mistake in `n % 1`.)
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

/// The threads of the warp that are here now, one bit per thread.
///
/// ```
/// assert_eq!(ikra::warp::activemask(), 1);
/// ```
#[inline(always)]
#[must_use]
pub fn activemask() -> u32 {
    warp::activemask()
}

/// Of the threads in `mask`, those for which `predicate` holds, one bit per thread.
///
/// ```
/// // SAFETY: on the host this thread is the warp.
/// assert_eq!(unsafe { ikra::warp::ballot(1, true) }, 1);
/// ```
///
/// # Safety
///
/// All threads in `mask` come to the same call with the same mask, and this one is among them.
#[inline(always)]
#[must_use]
pub unsafe fn ballot(mask: u32, predicate: bool) -> u32 {
    // SAFETY: all threads in `mask` come here with it, and this one is among them.
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
    // SAFETY: all threads in `mask` come here with it; this one and the one that it asks are among them.
    unsafe { warp::shuffle_xor(mask, value, change) }
}
