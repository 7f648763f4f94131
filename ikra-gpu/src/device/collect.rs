//! Kernels whose results are kept, one per object.

use core::marker::PhantomData;

use ikra_core::kernel::Call;
use ikra_core::thread;
use ikra_core::transfer::Transfer;

use super::call;
use super::execute::{only_object, own};

/// A kernel with arguments `A` whose results can be transferred. For others, [`Unsent`] has a function of the same name.
#[derive(Debug)]
pub struct Sent<K, A>(PhantomData<fn(K, A)>);

impl<K: Call<A, Output: Transfer>, A: Copy> Sent<K, A> {
    /// Calls the kernel for the objects `first..end`, or for the objects at these positions of the list, and stores the
    /// result of number *n* of them at position *n*.
    ///
    /// # Safety
    ///
    /// 1. As for [`execute`](super::execute).
    /// 2. There is room for a result in transfer for each object.
    #[inline(always)]
    pub unsafe fn collect(first: u32, end: u32, list: *const u32, results: *mut u8, args: A) {
        if let Some(n) = own(thread::block_idx_x(), first, end) {
            // SAFETY: the object exists, and no other thread calls the kernel for it.
            let result = unsafe { call::call::<K, A>(only_object(list, n), args) }.pack();
            // SAFETY: by 2; no other thread has this position.
            unsafe { results.cast::<<K::Output as Transfer>::Wire>().add((n - first) as usize).write(result) };
        }
    }
}

/// Kernels whose results are not transferred: no host launches such an entry point.
pub trait Unsent {
    /// Does nothing.
    ///
    /// # Safety
    ///
    /// No requirement: a counterpart of [`Sent::collect`].
    #[inline(always)]
    unsafe fn collect<A>(_first: u32, _end: u32, _list: *const u32, _results: *mut u8, _args: A) {}
}

impl<K, A> Unsent for Sent<K, A> {}
