//! Kernels that one thread runs alone, in which no operation needs to be atomic.
//!
//! An atomic instruction takes about 5 ns, where a load and a store take less than one, even if no other thread runs.
//! So if a kernel updates atomic fields of other objects, the host's executors compile their loops over its objects
//! twice: for several threads and for one. A constant in these loops distinguishes them. Everywhere else a value does:
//! the [`Facts`](crate::facts::Facts) that handles pass on to [`Atomic`](crate::storage::Atomic)s. It is not a type: a
//! kernel's code does not depend on the number of threads, and cannot query it.

use crate::phase::Phase;

/// Whether the number of a kernel's threads is worth knowing: whether they may change one field, which must then be
/// atomic.
pub const fn pays<P: Phase>() -> bool {
    P::EFFECTS.shares_atomics(!P::BESIDE.is_empty())
}
