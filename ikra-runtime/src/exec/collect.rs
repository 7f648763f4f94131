//! `execute_and_collect`: runs a kernel for many objects, and returns its results in a list.

use std::iter::once;
use std::ops::{Range, RangeBounds};

use super::calls::{Calls, for_calls};
use super::chunks::{AllReturned, alone, by_one, spread};
use super::rows::prepare;
use super::{positions, task_len};
use crate::info::ClassInfo;
use crate::isa::Isa;
use crate::kernel::{Call, ValuesOf};
use crate::list::Listed;
use crate::objects::Objects;
use crate::spread::{Job, Spread};
use crate::table::Table;
use crate::window::WindowTuple;

/// Calls the kernel for the objects at some positions, and returns the results in the order of their ids;
/// [`finish`](super::rows::finish) commits its effects.
#[track_caller]
pub(super) fn collect<K, A>(
    objects: &mut Objects<K::Class>,
    range: impl RangeBounds<usize>,
    args: A,
) -> (Vec<K::Output>, AllReturned)
where
    K: Call<A, Output: Send>,
    A: Copy + Send + Sync,
{
    let range = positions(range, objects.slots(), <K::Class as ClassInfo>::NAME);
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let of_chunk = |chunk: &Range<usize>| once(range.start + chunk.start..range.start + chunk.end);
    // SAFETY: chunks are disjoint parts of the objects, and `&mut objects` excludes other kernels.
    let collect = |chunk: Range<usize>| unsafe {
        collect_ranges::<K, A, false>(table, &shadow, of_chunk(&chunk), chunk.len(), args)
    };
    // SAFETY: `&mut objects` excludes other kernels, and this thread makes all calls.
    let alone = |chunk: Range<usize>| unsafe {
        collect_ranges::<K, A, true>(table, &shadow, of_chunk(&chunk), chunk.len(), args)
    };
    collect_all(range.len(), const { K::EFFECTS.is_heavy() }, &collect, by_one::<K, _, _>(collect, alone))
}

/// Like `collect`, for the objects of a list.
pub(super) fn collect_each<K, A>(
    objects: &mut Objects<K::Class>,
    listed: &Listed,
    args: A,
) -> (Vec<K::Output>, AllReturned)
where
    K: Call<A, Output: Send>,
    A: Copy + Send + Sync,
{
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    // SAFETY: these objects exist, each is in the list once, and `&mut objects` excludes other kernels.
    let collect = |places: Range<usize>| unsafe {
        collect_ranges::<K, A, false>(table, &shadow, listed.ranges(places.clone()), places.len(), args)
    };
    // SAFETY: these objects exist, each is in the list once, and this thread makes all calls.
    let alone = |places: Range<usize>| unsafe {
        collect_ranges::<K, A, true>(table, &shadow, listed.ranges(places.clone()), places.len(), args)
    };
    collect_all(listed.len(), const { K::EFFECTS.is_heavy() }, &collect, by_one::<K, _, _>(collect, alone))
}

/// The results for the objects `0..len`. `collect` computes them chunk by chunk, in parallel if that pays; otherwise
/// `alone` does, on this thread.
pub(super) fn collect_all<T: Send>(
    len: usize,
    heavy: bool,
    collect: &(dyn Fn(Range<usize>) -> Vec<T> + Sync),
    all: impl FnOnce(Range<usize>) -> Vec<T>,
) -> (Vec<T>, AllReturned) {
    let chunk = task_len(len, heavy);
    match len.div_ceil(chunk) {
        0 => alone(Vec::new),
        1 => alone(|| all(0..len)),
        chunks => collect_chunks(chunks, len, &|n| collect(n * chunk..((n + 1) * chunk).min(len))),
    }
}

/// The results for the `count` objects of the ranges.
///
/// # Safety
///
/// As for [`for_calls`].
unsafe fn collect_ranges<K, A, const ALONE: bool>(
    table: &Table<K::Class>,
    shadow: &<K::Class as ClassInfo>::Bases,
    ranges: impl Iterator<Item = Range<usize>>,
    count: usize,
    args: A,
) -> Vec<K::Output>
where
    K: Call<A>,
    A: Copy,
{
    let mut results = Vec::with_capacity(count);
    for range in ranges {
        // SAFETY: the contract is the same; each range is part of the objects.
        unsafe {
            for_calls::<K, A, ALONE>(table, shadow, range, args, |windows, calls| {
                windows.spread(Collect { calls, results: &mut results }, Isa::of(const { K::EFFECTS.is_heavy() }));
            });
        }
    }
    results
}

/// The results of some chunks, in order. One function serves all kernels with results of a type.
fn collect_chunks<T: Send>(
    chunks: usize,
    len: usize,
    collect: &(dyn Fn(usize) -> Vec<T> + Sync),
) -> (Vec<T>, AllReturned) {
    let (parts, returned) = spread(chunks, collect);
    let mut results = Vec::with_capacity(len);
    for part in parts {
        results.extend(part);
    }
    (results, returned)
}

/// Appends the results for the objects of a window to a list.
struct Collect<'w, 'r, K: Call<A>, A, const ALONE: bool> {
    calls: Calls<'w, K, A, ALONE>,
    results: &'r mut Vec<K::Output>,
}

impl<K, A, X, const ALONE: bool> Job<X> for Collect<'_, '_, K, A, ALONE>
where
    K: Call<A>,
    A: Copy,
    X: WindowTuple<ValuesOf<K>>,
{
    type Output = ();
    const WIDE: bool = const { K::EFFECTS.is_heavy() };

    #[inline(always)]
    fn run(self, mut windows: X) {
        let Self { calls, results } = self;
        // SAFETY: windows have objects.
        let followed = unsafe { calls.follow() };
        // SAFETY: `n` is below `calls.len`, so it is within the windows.
        results.extend((0..calls.len).map(|n| unsafe { calls.call(&mut windows, n, followed) }));
    }
}
