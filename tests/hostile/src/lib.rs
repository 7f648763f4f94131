//! Shared parts of the hostile programs: threads, ways to panic, and outcomes.
//!
//! The programs are the tests of this package, in safe Rust. Each tries to break one promise of `docs/soundness.md`: no
//! undefined behaviour, the same result with any number of threads, no silently lost write.
#![forbid(unsafe_code)]

mod outcome;
mod unwinding;

pub use outcome::{Outcome, hush, outcome, panics};
pub use unwinding::{WAYS, Way, while_unwinding};

use std::hash::{DefaultHasher, Hash, Hasher};

/// The numbers of threads with which the programs run.
pub const THREADS: [usize; 3] = [1, 2, 4];

/// Enough objects for several threads, with several chunks per thread.
pub const MANY: usize = 20_000;

/// Whether to attack in all ways, `IKRA_LONG=1`, or with fewer numbers of threads.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("IKRA_LONG").is_some_and(|value| !value.is_empty())
}

/// Runs `work` in a pool of `threads` threads, which Ikra then uses.
///
/// # Panics
///
/// If `work` panics, or the threads cannot be started.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started").install(work)
}

/// A result that must be the same with any number of threads.
///
/// # Panics
///
/// If the results differ.
pub fn same_with_any_threads<R: Send + PartialEq + std::fmt::Debug>(work: impl Fn() -> R + Sync) -> R {
    let first = on_threads(THREADS[0], &work);
    for threads in &THREADS[1..] {
        // The assignment of chunks to threads varies from run to run.
        for _ in 0..3 {
            assert_eq!(first, on_threads(*threads, &work), "1 thread and {threads}");
        }
    }
    first
}

/// One hash of many values.
pub fn hash(values: impl IntoIterator<Item = impl Hash>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for value in values {
        value.hash(&mut hasher);
    }
    hasher.finish()
}

/// A pseudo-random number.
#[must_use]
pub fn mixed(n: usize, salt: u64) -> u64 {
    let mut z = (n as u64).wrapping_add(salt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
