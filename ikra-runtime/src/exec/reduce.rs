//! `execute_and_reduce` and its variants: run a kernel for many objects, and combine its results.

use std::ops::{Range, RangeBounds};

use super::calls::{Calls, for_calls};
use super::chunks::{AllReturned, alone, by_one, spread};
use super::rows::prepare;
use super::{SharedExtent, positions};
use crate::error::Error;
use crate::info::ClassInfo;
use crate::isa::Isa;
use crate::kernel::{Call, ValuesOf};
use crate::list::{Listed, Run, Runs};
use crate::objects::Objects;
use crate::reduce::{ACCUMULATORS, Reducer, part_accumulators, part_len};
use crate::spread::{Job, Spread};
use crate::table::Table;
use crate::window::WindowTuple;

/// Calls the kernel for the objects at some positions and combines the results; [`finish`](super::rows::finish) commits
/// its effects.
#[track_caller]
pub(super) fn reduce<K, A, R>(
    objects: &mut Objects<K::Class>,
    range: impl RangeBounds<usize>,
    args: A,
    reducer: R,
) -> (K::Output, AllReturned)
where
    K: Call<A, Output: Copy + Send + Sync>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
{
    let range = positions(range, objects.slots(), <K::Class as ClassInfo>::NAME);
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let of_chunk = |chunk: Range<usize>| range.start + chunk.start..range.start + chunk.end;
    // SAFETY: chunks are disjoint parts of the objects, and `&mut objects` excludes other kernels.
    let work = |chunk| unsafe { reduce_chunk::<K, A, R, false>(table, &shadow, of_chunk(chunk), args, reducer) };
    // SAFETY: `&mut objects` excludes other kernels, and this thread makes all calls.
    let alone = |chunk| unsafe { reduce_chunk::<K, A, R, true>(table, &shadow, of_chunk(chunk), args, reducer) };
    reduce_chunks(range.len(), const { K::EFFECTS.is_heavy() }, reducer, work, by_one::<K, _, _>(work, alone))
}

/// Like `reduce`, for all objects, of which other processes do some: each does whole chunks.
pub(super) fn reduce_shared<K, A, R>(
    objects: &mut Objects<K::Class>,
    shared: &SharedExtent,
    args: A,
    reducer: R,
) -> Result<(K::Output, AllReturned), Error>
where
    K: Call<A, Output: Copy + Send + Sync>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
{
    let (own, count) = (shared.own(), shared.count());
    let len = part_len(count, const { K::EFFECTS.is_heavy() });
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let first = own.start.div_ceil(len);
    let chunk = |n: usize| (first + n) * len..((first + n + 1) * len).min(count);
    // SAFETY: chunks are disjoint parts of the objects, and `&mut objects` excludes other kernels.
    let work = |n| unsafe { reduce_chunk::<K, A, R, false>(table, &shadow, chunk(n), args, reducer) };
    // SAFETY: `&mut objects` excludes other kernels, and this thread makes all calls.
    let alone = |n| unsafe { reduce_chunk::<K, A, R, true>(table, &shadow, chunk(n), args, reducer) };
    let (parts, returned) =
        fold_chunks(own.end.div_ceil(len).saturating_sub(first), &work, &by_one::<K, _, _>(work, alone));
    // SAFETY: only executors of other places make such extents, of runs, whose results hold no pointers.
    let parts = unsafe { shared.complete(parts, first, count.div_ceil(len)) }?;
    let result = match parts[..] {
        // One chunk is not combined with the identity.
        [one] => one,
        _ => combine_parts(&parts, reducer),
    };
    Ok((result, returned))
}

/// Like `reduce`, for the objects of a list.
pub(super) fn reduce_each<K, A, R>(
    objects: &mut Objects<K::Class>,
    listed: &Listed,
    args: A,
    reducer: R,
) -> (K::Output, AllReturned)
where
    K: Call<A, Output: Copy + Send + Sync>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
{
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    // SAFETY: these objects exist, each is in the list once, and `&mut objects` excludes other kernels.
    let work = |chunk| unsafe { reduce_listed::<K, A, R, false>(table, &shadow, listed.runs(chunk), args, reducer) };
    // SAFETY: these objects exist, each is in the list once, and this thread makes all calls.
    let alone = |chunk| unsafe { reduce_listed::<K, A, R, true>(table, &shadow, listed.runs(chunk), args, reducer) };
    reduce_chunks(listed.len(), const { K::EFFECTS.is_heavy() }, reducer, work, by_one::<K, _, _>(work, alone))
}

/// Combines the results for the chunks of `0..count`. `fold` computes them in parallel if that pays; otherwise
/// `fold_alone` does, on this thread.
pub(super) fn reduce_chunks<T, R>(
    count: usize,
    heavy: bool,
    reducer: R,
    fold: impl Fn(Range<usize>) -> T + Sync,
    fold_alone: impl Fn(Range<usize>) -> T,
) -> (T, AllReturned)
where
    T: Copy + Send + Sync,
    R: Reducer<T>,
{
    let len = part_len(count, heavy);
    let chunk = |n: usize| n * len..((n + 1) * len).min(count);
    match count.div_ceil(len) {
        0 => alone(|| reducer.identity()),
        1 => alone(|| fold_alone(0..count)),
        chunks => {
            let (parts, returned) = fold_chunks(chunks, &|n| fold(chunk(n)), &|n| fold_alone(chunk(n)));
            (combine_parts(&parts, reducer), returned)
        }
    }
}

/// The results of some chunks, in order. One function serves all kernels with results of a type.
fn fold_chunks<T: Send>(
    chunks: usize,
    fold: &(dyn Fn(usize) -> T + Sync),
    fold_alone: &dyn Fn(usize) -> T,
) -> (Vec<T>, AllReturned) {
    if rayon::current_num_threads() == 1 {
        alone(|| (0..chunks).map(fold_alone).collect())
    } else {
        spread(chunks, fold)
    }
}

fn combine_parts<T: Copy, R: Reducer<T>>(parts: &[T], reducer: R) -> T {
    let count = part_accumulators::<T>();
    let mut sums = vec![reducer.identity(); count];
    for (n, &part) in parts.iter().enumerate() {
        sums[n % count] = reducer.combine(sums[n % count], part);
    }
    combine_halves(&mut sums, reducer)
}

/// Combines accumulators in a fixed order. Their number is a power of two.
pub(super) fn combine_halves<T: Copy, R: Reducer<T>>(sums: &mut [T], reducer: R) -> T {
    let mut width = sums.len();
    while width > 1 {
        width /= 2;
        for n in 0..width {
            sums[n] = reducer.combine(sums[n], sums[n + width]);
        }
    }
    sums[0]
}

/// Combines the results for the objects of one chunk.
///
/// # Safety
///
/// As for [`for_calls`].
unsafe fn reduce_chunk<K, A, R, const ALONE: bool>(
    table: &Table<K::Class>,
    shadow: &<K::Class as ClassInfo>::Bases,
    range: Range<usize>,
    args: A,
    reducer: R,
) -> K::Output
where
    K: Call<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
{
    let mut lanes = [reducer.identity(); ACCUMULATORS];
    let start = range.start;
    // SAFETY: the contract is the same: clauses 1 to 3 of `for_calls` hold for this range.
    unsafe {
        for_calls::<K, A, ALONE>(table, shadow, range, args, |windows, calls| {
            // Rotates the accumulators, so that the one of the window's first object comes first. Only tiles need it,
            // in a chunk that starts within a tile.
            let turn = (calls.first - start) % ACCUMULATORS;
            if turn != 0 {
                lanes.rotate_left(turn);
            }
            lanes = windows.spread(Fold { calls, reducer, lanes }, Isa::of(const { K::EFFECTS.is_heavy() }));
            if turn != 0 {
                lanes.rotate_right(turn);
            }
        });
    }
    combine_halves(&mut lanes, reducer)
}

/// Combines the results for the objects of one chunk of a list.
///
/// # Safety
///
/// As for [`for_calls`], for each of the objects.
unsafe fn reduce_listed<K, A, R, const ALONE: bool>(
    table: &Table<K::Class>,
    shadow: &<K::Class as ClassInfo>::Bases,
    runs: Runs<'_>,
    args: A,
    reducer: R,
) -> K::Output
where
    K: Call<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
{
    let isa = Isa::of(const { K::EFFECTS.is_heavy() });
    let mut lanes = [reducer.identity(); ACCUMULATORS];
    let mut done = 0;
    for run in runs {
        match run {
            // SAFETY: the contract is the same, for each of the objects.
            Run::Range(range) => unsafe {
                for_calls::<K, A, ALONE>(table, shadow, range, args, |windows, calls| {
                    windows.spread(FoldOn { calls, reducer, done, lanes: &mut lanes }, isa);
                    done += calls.len;
                });
            },
            Run::Each(indices) => {
                for &index in indices {
                    let index = index as usize;
                    // SAFETY: the contract is the same, for each of the objects.
                    unsafe {
                        for_calls::<K, A, ALONE>(table, shadow, index..index + 1, args, |windows, calls| {
                            let fold = FoldOn { calls, reducer, done, lanes: &mut lanes };
                            if const { K::EFFECTS.is_heavy() } {
                                windows.spread(fold, isa);
                            } else {
                                fold.run(windows);
                            }
                        });
                    }
                    done += 1;
                }
            }
        }
    }
    combine_halves(&mut lanes, reducer)
}

/// Folds the results for the objects of a window into the accumulators, the first object's into the first.
struct Fold<'w, K: Call<A>, A, R, const ALONE: bool> {
    calls: Calls<'w, K, A, ALONE>,
    reducer: R,
    lanes: [K::Output; ACCUMULATORS],
}

impl<K, A, R, X, const ALONE: bool> Job<X> for Fold<'_, K, A, R, ALONE>
where
    K: Call<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
    X: WindowTuple<ValuesOf<K>>,
{
    type Output = [K::Output; ACCUMULATORS];
    const WIDE: bool = const { K::EFFECTS.is_heavy() };

    #[inline(always)]
    fn run(self, mut windows: X) -> [K::Output; ACCUMULATORS] {
        let Self { calls, reducer, mut lanes } = self;
        let mut done = 0;
        while done + ACCUMULATORS <= calls.len {
            for (lane, sum) in lanes.iter_mut().enumerate() {
                // SAFETY: `done + lane` is within the windows.
                *sum = reducer.combine(*sum, unsafe { calls.call(&mut windows, done + lane) });
            }
            done += ACCUMULATORS;
        }
        for (lane, n) in (done..calls.len).enumerate() {
            // SAFETY: `n` is within the windows.
            lanes[lane] = reducer.combine(lanes[lane], unsafe { calls.call(&mut windows, n) });
        }
        lanes
    }
}

/// Like `Fold`, for a few consecutive objects of a list, after `done` others of the chunk. Accumulators stay in place.
struct FoldOn<'w, 'l, K: Call<A>, A, R, const ALONE: bool> {
    calls: Calls<'w, K, A, ALONE>,
    reducer: R,
    done: usize,
    lanes: &'l mut [K::Output; ACCUMULATORS],
}

impl<K, A, R, X, const ALONE: bool> Job<X> for FoldOn<'_, '_, K, A, R, ALONE>
where
    K: Call<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
    X: WindowTuple<ValuesOf<K>>,
{
    type Output = ();
    const WIDE: bool = const { K::EFFECTS.is_heavy() };

    #[inline(always)]
    fn run(self, mut windows: X) {
        let Self { calls, reducer, done, lanes } = self;
        for n in 0..calls.len {
            let sum = &mut lanes[(done + n) % ACCUMULATORS];
            // SAFETY: `n` is within the windows.
            *sum = reducer.combine(*sum, unsafe { calls.call(&mut windows, n) });
        }
    }
}
