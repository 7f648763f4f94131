//! The calls of a kernel for the objects of one window of the layout.

use std::marker::PhantomData;
use std::ops::Range;

use super::for_windows;
use super::prefetch::prefetch_next;
use crate::class::{Class, ClassInfo};
use crate::facts::Facts;
use crate::handle::Handle;
use crate::kernel::{Call, Kernel, ValuesOf};
use crate::layout::Layout;
use crate::mode::{Chunk, ModeTuple};
use crate::step;
use crate::table::Table;
use crate::window::WindowTuple;

pub(super) type WindowsOf<'a, K> = <<K as Kernel>::Modes as ModeTuple<<K as Kernel>::Class>>::Windows<'a>;

/// A kernel's calls for consecutive objects, by one of several threads or by a single thread.
pub(super) struct Calls<'w, K: Kernel, A, const ALONE: bool> {
    pub(super) table: &'w Table<K::Class>,
    pub(super) first: usize,
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

/// Opens the columns of the objects in `range`, window by window, and calls `work` for each window.
///
/// # Safety
///
/// 1. The objects exist, and `shadow` is storage for the kernel's snapshot columns of these objects.
/// 2. During the call, no other code accesses these objects, and no other kernel runs in this world.
/// 3. If `ALONE`, no other thread makes calls of the kernel during this call.
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
        // SAFETY: the chunk is one window. By 2, only this call accesses its objects' elements of columns that the
        // kernel writes. No call of this kernel writes columns that it reads, since all calls use the same modes.
        let windows = unsafe { K::Modes::open(Chunk { table, shadow, first, len }) };
        work(windows, Calls { table, first, len, args, kernel: PhantomData });
    });
}

impl<'w, K: Kernel, A: Copy, const ALONE: bool> Calls<'w, K, A, ALONE> {
    /// The objects to which the arguments link.
    ///
    /// # Safety
    ///
    /// As for [`call`](Self::call); there is an object.
    #[inline]
    pub(super) unsafe fn follow(&self) -> K::Followed<'w, K>
    where
        K: Call<A>,
    {
        // SAFETY: the contract is the same: `for_calls` made these calls.
        let facts = unsafe { self.facts() };
        // SAFETY: 1. the first object exists; 2. the facts are those of these calls.
        K::follow::<K>(unsafe { Handle::at(self.table, self.first, facts) }, &self.args)
    }

    /// The known facts in each of the calls.
    ///
    /// # Safety
    ///
    /// As for [`call`](Self::call).
    #[inline(always)]
    pub(super) unsafe fn facts(&self) -> Facts {
        // SAFETY: clauses 2 and 3 of `for_calls` are the contract of `of_calls`.
        unsafe { Facts::of_calls(ALONE) }
    }

    /// Calls the kernel for object `n`. The links among the arguments have been followed once for all calls: the compiler
    /// would follow them for each, since it does not know that calls leave them alone.
    ///
    /// # Safety
    ///
    /// `n` is within the windows. They belong to these objects, and [`for_calls`] opened them with these calls.
    #[inline(always)]
    pub(super) unsafe fn call<X>(&self, windows: &mut X, n: usize, followed: K::Followed<'w, K>) -> K::Output
    where
        K: Call<A>,
        X: WindowTuple<ValuesOf<K>>,
    {
        // SAFETY: the contract is the same: `for_calls` made these calls.
        let facts = unsafe { self.facts() };
        // SAFETY: 1. and 2. by the caller; 3. the facts are those of these calls.
        let (mut view, before) = unsafe { step::begin::<K, X>(windows, n, self.table, self.first + n, facts) };
        let result = K::call::<K>(&mut view, self.args, followed);
        // SAFETY: as for `begin`, which returned the view and the values for object `n`.
        unsafe { step::end::<K, X>(windows, n, self.table, self.first + n, view, before) };
        result
    }
}
