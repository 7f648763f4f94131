//! Kernels that one thread runs alone, in which nothing needs to be atomic.
//!
//! An instruction that is atomic takes some 5 ns where a load and a store take less than one, also while no other thread is there
//! to notice. So the host's executors compile their loops over a kernel's objects twice, for several threads and for one, where the kernel
//! updates atomic fields of other objects. What tells the two apart is a constant in these loops, and a value everywhere else: the
//! [`Facts`](crate::facts::Facts) that handles pass on to [`Atomic`](crate::storage::Atomic)s. It is no type: a kernel's code is the same
//! with any number of threads, and cannot ask how many there are.

use crate::phase::Phase;

/// Whether it pays to know how many threads run a kernel: if these may change the same field, which must be atomic then.
pub const fn pays<P: Phase>() -> bool {
    P::EFFECTS.shares_atomics(!P::BESIDE.is_empty())
}
