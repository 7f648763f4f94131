//! Kernels that one thread runs alone, in which nothing needs to be atomic.
//!
//! An instruction that is atomic takes some 5 ns where a load and a store take less than one, also while no other thread is there
//! to notice. So kernels that update `#[atomic]` fields of other objects are compiled twice, for several threads and for one, and an
//! executor on the host chooses when it knows how many threads there are to be.

use core::fmt;
use core::marker::PhantomData;

use crate::effects::Effects;
use crate::kernel::Kernel;
use crate::phase::Phase;

/// The phase of a kernel that one thread runs alone: what is `#[atomic]` is loaded and stored as if it were not.
///
/// Neither `Send` nor `Sync`, and so is what its code finds: refs, arrays, and atomics. Methods are generic over their phase, so they
/// can send none of these to other threads, in whichever phase they are called.
pub struct Alone<K>(PhantomData<(K, *const ())>);

impl<K> Copy for Alone<K> {}
impl<K> Clone for Alone<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> fmt::Debug for Alone<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Alone")
    }
}

// SAFETY: 1. to 3. are those of the kernel, which it is. 4. It is the one phase of this kind.
unsafe impl<K: Kernel> Phase for Alone<K> {
    const EFFECTS: &'static Effects = K::EFFECTS;
    const BESIDE: &'static [&'static Effects] = K::BESIDE;
    const OWN: usize = K::OWN;
    type Near = K::Near;
    const ALONE: bool = true;
}

/// The phase in which one thread runs a kernel alone: [`Alone`] of it, or the kernel itself where that would be the same code.
#[derive(Debug)]
pub struct PhaseOfOne<const ALONE: bool>;

/// What [`PhaseOfOne`] chooses.
///
/// # Safety
///
/// `Of<K>` is `K` or [`Alone<K>`](Alone).
pub unsafe trait Choose {
    /// The phase.
    type Of<K: Kernel>: Phase;
}

// SAFETY: the kernel itself.
unsafe impl Choose for PhaseOfOne<false> {
    type Of<K: Kernel> = K;
}
// SAFETY: the other of the two.
unsafe impl Choose for PhaseOfOne<true> {
    type Of<K: Kernel> = Alone<K>;
}

/// Whether a kernel is compiled for one thread too: if threads may change the same field, which must be atomic then.
pub const fn pays<P: Phase>() -> bool {
    P::EFFECTS.shares_atomics(!P::BESIDE.is_empty())
}
