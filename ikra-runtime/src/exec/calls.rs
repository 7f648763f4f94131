//! The calls of a kernel for the objects of one run of the layout.

use std::marker::PhantomData;
use std::ops::Range;

use super::for_windows;
use super::prefetch::prefetch_next;
use crate::class::{Class, ClassInfo};
use crate::facts::Facts;
use crate::kernel::{Call, Kernel, ValuesOf};
use crate::layout::Layout;
use crate::mode::{Chunk, ModeTuple};
use crate::step;
use crate::table::Table;
use crate::window::WindowTuple;

/// The windows of a kernel's fields.
pub(super) type WindowsOf<'a, K> = <<K as Kernel>::Modes as ModeTuple<<K as Kernel>::Class>>::Windows<'a>;

/// A kernel's calls for consecutive objects: by one of several threads, or by one alone.
pub(super) struct Calls<'w, K: Kernel, A, const ALONE: bool> {
    pub(super) table: &'w Table<K::Class>,
    /// The first object.
    pub(super) first: usize,
    /// The number of objects.
    pub(super) len: usize,
    pub(super) args: A,
    kernel: PhantomData<K>,
}

impl<K: Kernel, A: Copy, const ALONE: bool> Copy for Calls<'_, K, A, ALONE> {}
impl<K: Kernel, A: Copy, const ALONE: bool> Clone for Calls<'_, K, A, ALONE> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

/// Opens the columns of the objects in `range`, run by run of the layout, and calls `work` for each.
///
/// # Safety
///
/// 1. The objects exist, and `shadow` is storage for them of the kernel's snapshot columns.
/// 2. During the call, nothing else runs for these objects, and no other kernel in this world.
/// 3. If `ALONE`, the thread that calls this makes all calls of the kernel.
#[inline(always)]
pub(super) unsafe fn for_calls<'w, K: Kernel, A: Copy, const ALONE: bool>(
    table: &'w Table<K::Class>,
    shadow: &'w <K::Class as ClassInfo>::Bases,
    range: Range<usize>,
    args: A,
    mut work: impl FnMut(WindowsOf<'w, K>, Calls<'w, K, A, ALONE>),
) {
    for_windows(range, <<K::Class as Class>::Layout as Layout>::WINDOW, |window| {
        prefetch_next::<K>(table, window.end);
        let (first, len) = (window.start, window.len());
        // SAFETY: the chunk is one window. By 2, its objects' elements of the columns that the kernel writes are
        // accessed by this call alone; columns that it reads are written by no call of this kernel, since a column
        // is accessed in the same mode by all of them.
        let windows = unsafe { K::Modes::open(Chunk { table, shadow, first, len }) };
        work(windows, Calls { table, first, len, args, kernel: PhantomData });
    });
}

impl<K: Kernel, A: Copy, const ALONE: bool> Calls<'_, K, A, ALONE> {
    /// What is known in each of the calls.
    ///
    /// # Safety
    ///
    /// As for [`call`](Self::call).
    #[inline(always)]
    pub(super) unsafe fn facts(&self) -> Facts {
        // SAFETY: by the contract of `for_calls`, 2 and 3.
        unsafe { Facts::of_calls(ALONE) }
    }

    /// Calls the kernel for object `n`.
    ///
    /// # Safety
    ///
    /// `n` is within the windows, which are of these objects and were opened by [`for_calls`] with these calls.
    #[inline(always)]
    pub(super) unsafe fn call<X>(&self, windows: &mut X, n: usize) -> K::Output
    where
        K: Call<A>,
        X: WindowTuple<ValuesOf<K>>,
    {
        // SAFETY: the contract is the same.
        let facts = unsafe { self.facts() };
        // SAFETY: 1. and 2. by the caller; 3. it is.
        let (mut view, before) = unsafe { step::begin::<K, X>(windows, n, self.table, self.first + n, facts) };
        let result = K::call::<K>(&mut view, self.args);
        // SAFETY: as above.
        unsafe { step::end::<K, X>(windows, n, self.table, self.first + n, view, before) };
        result
    }
}
