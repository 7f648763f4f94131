//! `execute_and_reduce` and its variants: run a kernel for many objects, and combine its results.

use std::ops::{Range, RangeBounds};

use super::accumulators::{Accumulators, Parts, accumulator, combine_halves, fold_exact, fold_rows, of_chunk};
use super::calls::{Calls, for_calls};
use super::chunks::{AllReturned, alone, spread};
use super::rows::prepare;
use super::{SharedExtent, positions};
use crate::alone::pays;
use crate::error::Error;
use crate::info::ClassInfo;
use crate::isa::Isa;
use crate::kernel::{Call, ValuesOf};
use crate::list::{Listed, Run, Runs};
use crate::objects::Objects;
use crate::reduce::{ACCUMULATORS, Chunks, Reducer, SPAN_CHUNKS, part_accumulators};
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
    let at = |places: Range<usize>| range.start + places.start..range.start + places.end;
    // SAFETY: spans are disjoint parts of the objects, and `&mut objects` excludes other kernels.
    let work = |(places, sums): Span<'_, K::Output>| unsafe {
        reduce_span::<K, A, R, false>(table, &shadow, at(places), args, reducer, sums);
    };
    let alone = |(places, sums): Span<'_, K::Output>| match const { pays::<K>() } {
        // SAFETY: as above, and this thread makes all calls.
        true => unsafe { reduce_span::<K, A, R, true>(table, &shadow, at(places), args, reducer, sums) },
        false => work((places, sums)),
    };
    reduce_spans(range.len(), const { K::EFFECTS.is_heavy() }, reducer, work, alone)
}

/// Like `reduce`, for all objects, of which other processes do some: each does whole spans.
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
    let chunks = Chunks::of::<K::Output>(count, const { K::EFFECTS.is_heavy() });
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let spans = own.start.div_ceil(chunks.span())..own.end.div_ceil(chunks.span());
    // SAFETY: spans are disjoint parts of the objects, and `&mut objects` excludes other kernels.
    let work = |(places, sums): Span<'_, K::Output>| unsafe {
        reduce_span::<K, A, R, false>(table, &shadow, places, args, reducer, sums);
    };
    let alone = |(places, sums): Span<'_, K::Output>| match const { pays::<K>() } {
        // SAFETY: as above, and this thread makes all calls.
        true => unsafe { reduce_span::<K, A, R, true>(table, &shadow, places, args, reducer, sums) },
        false => work((places, sums)),
    };
    let (parts, returned) = fold_spans(chunks, spans.clone(), reducer, &work, &alone);
    let first = (spans.start * chunks.of_span()).min(chunks.len());
    // SAFETY: only executors of other places make such extents, of runs, whose results hold no pointers.
    let parts = unsafe { shared.complete(parts, first, chunks.len()) }?;
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
    let work = |(places, sums): Span<'_, K::Output>| unsafe {
        reduce_listed::<K, A, R, false>(table, &shadow, listed.runs(places), args, reducer, sums);
    };
    let alone = |(places, sums): Span<'_, K::Output>| match const { pays::<K>() } {
        // SAFETY: as above, and this thread makes all calls.
        true => unsafe { reduce_listed::<K, A, R, true>(table, &shadow, listed.runs(places), args, reducer, sums) },
        false => work((places, sums)),
    };
    reduce_spans(listed.len(), const { K::EFFECTS.is_heavy() }, reducer, work, alone)
}

/// Positions of a span, and the accumulators of its chunks.
pub(super) type Span<'a, T> = (Range<usize>, &'a mut Accumulators<T>);

/// Combines the results for the chunks of `count` objects. `fold` computes spans in parallel if that pays; otherwise
/// `fold_alone` does, on this thread.
pub(super) fn reduce_spans<T, R>(
    count: usize,
    heavy: bool,
    reducer: R,
    fold: impl Fn(Span<'_, T>) + Sync,
    fold_alone: impl Fn(Span<'_, T>),
) -> (T, AllReturned)
where
    T: Copy + Send + Sync,
    R: Reducer<T>,
{
    let chunks = Chunks::of::<T>(count, heavy);
    match chunks.len() {
        0 => alone(|| reducer.identity()),
        1 => alone(|| of_chunk(reducer, |sums| fold_alone((0..count, sums)))),
        _ => {
            let (parts, returned) = fold_spans(chunks, 0..chunks.spans(), reducer, &fold, &fold_alone);
            (combine_parts(&parts, reducer), returned)
        }
    }
}

/// The results of the chunks of some spans, in order. One function serves all kernels with results of a type.
fn fold_spans<T, R>(
    chunks: Chunks,
    spans: Range<usize>,
    reducer: R,
    fold: &(dyn Fn(Span<'_, T>) + Sync),
    fold_alone: &dyn Fn(Span<'_, T>),
) -> (Vec<T>, AllReturned)
where
    T: Copy + Send + Sync,
    R: Reducer<T>,
{
    let places = |n: usize| chunks.range(spans.start + n);
    if chunks.of_span() == 1 {
        let of_span = |n: usize, fold: &dyn Fn(Span<'_, T>)| of_chunk(reducer, |sums| fold((places(n), sums)));
        return fold_each(spans.len(), &|n| of_span(n, fold), &|n| of_span(n, fold_alone));
    }
    let of_span = |n: usize, fold: &dyn Fn(Span<'_, T>)| {
        let mut sums = [[reducer.identity(); ACCUMULATORS]; SPAN_CHUNKS];
        fold((places(n), &mut sums));
        sums.map(|mut sums| combine_halves(&mut sums, reducer))
    };
    let (parts, returned) = fold_each(spans.len(), &|n| of_span(n, fold), &|n| of_span(n, fold_alone));
    let mut parts: Vec<T> = parts.into_iter().flatten().collect();
    // The last span may have fewer chunks.
    parts.truncate(chunks.len().saturating_sub(spans.start * SPAN_CHUNKS));
    (parts, returned)
}

/// The results for each number below `count`, in order.
fn fold_each<T: Send>(
    count: usize,
    fold: &(dyn Fn(usize) -> T + Sync),
    fold_alone: &dyn Fn(usize) -> T,
) -> (Vec<T>, AllReturned) {
    if rayon::current_num_threads() == 1 { alone(|| (0..count).map(fold_alone).collect()) } else { spread(count, fold) }
}

fn combine_parts<T: Copy, R: Reducer<T>>(parts: &[T], reducer: R) -> T {
    let count = part_accumulators::<T>();
    let mut sums = vec![reducer.identity(); count];
    for (n, &part) in parts.iter().enumerate() {
        sums[n % count] = reducer.combine(sums[n % count], part);
    }
    combine_halves(&mut sums, reducer)
}

/// Combines the results for the objects of one span.
///
/// # Safety
///
/// As for [`for_calls`].
unsafe fn reduce_span<K, A, R, const ALONE: bool>(
    table: &Table<K::Class>,
    shadow: &<K::Class as ClassInfo>::Bases,
    range: Range<usize>,
    args: A,
    reducer: R,
    sums: &mut Accumulators<K::Output>,
) where
    K: Call<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
{
    let start = range.start;
    // SAFETY: the contract is the same: clauses 1 to 3 of `for_calls` hold for this range.
    unsafe {
        for_calls::<K, A, ALONE>(table, shadow, range, args, |windows, calls| {
            let fold = Fold::<_, _, _, ALONE, false> { calls, reducer, place: calls.first - start, sums: &mut *sums };
            windows.spread(fold, Isa::of(const { K::EFFECTS.is_heavy() }));
        });
    }
}

/// Combines the results for the objects of one span of a list.
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
    sums: &mut Accumulators<K::Output>,
) where
    K: Call<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
{
    let isa = Isa::of(const { K::EFFECTS.is_heavy() });
    // For an exact reducer any accumulator will do, and the first ones cost least.
    let (mut place, step) = (0, const { !R::IS_EXACT as usize });
    for run in runs {
        match run {
            // SAFETY: the contract is the same, for each of the objects.
            Run::Range(range) => unsafe {
                for_calls::<K, A, ALONE>(table, shadow, range, args, |windows, calls| {
                    windows.spread(Fold::<_, _, _, ALONE, false> { calls, reducer, place, sums: &mut *sums }, isa);
                    place += step * calls.len;
                });
            },
            Run::Each(indices) => {
                for &index in indices {
                    let index = index as usize;
                    // SAFETY: the contract is the same, for each of the objects.
                    unsafe {
                        for_calls::<K, A, ALONE>(table, shadow, index..index + 1, args, |windows, calls| {
                            let fold = Fold::<_, _, _, ALONE, true> { calls, reducer, place, sums: &mut *sums };
                            if const { K::EFFECTS.is_heavy() } {
                                windows.spread(fold, isa);
                            } else {
                                fold.run(windows);
                            }
                        });
                    }
                    place += step;
                }
            }
        }
    }
}

/// Folds the results for the objects of a window, the first of which has a place in the span. The window may be known to
/// have one object.
struct Fold<'w, 's, K: Call<A>, A, R, const ALONE: bool, const ONE: bool> {
    calls: Calls<'w, K, A, ALONE>,
    reducer: R,
    place: usize,
    sums: &'s mut Accumulators<K::Output>,
}

impl<K, A, R, X, const ALONE: bool, const ONE: bool> Job<X> for Fold<'_, '_, K, A, R, ALONE, ONE>
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
        let Self { calls, reducer, place, sums } = self;
        // SAFETY: windows have objects.
        let followed = unsafe { calls.follow() };
        if const { ONE } {
            let sum = accumulator(sums, place);
            // SAFETY: the window has an object.
            *sum = reducer.combine(*sum, unsafe { calls.call(&mut windows, 0, followed) });
            return;
        }
        // For results of four or eight bytes, the documented order is as fast.
        if const { R::IS_EXACT && !matches!(size_of::<K::Output>(), 4 | 8) } {
            // SAFETY: the number is below the window's length.
            let value = |n| unsafe { calls.call(&mut windows, n, followed) };
            return fold_exact(reducer, &mut sums[0], calls.len, value);
        }
        for part in Parts::new(sums, place, calls.len) {
            let (sums, has_rows) = (&mut sums[part.chunk], part.has_rows::<K::Output>());
            if has_rows {
                fold_rows(sums, part.lane, |mut row| {
                    for first in part.numbers.step_by(ACCUMULATORS) {
                        for (lane, sum) in row.iter_mut().enumerate() {
                            // SAFETY: the numbers are below the window's length.
                            *sum = reducer.combine(*sum, unsafe { calls.call(&mut windows, first + lane, followed) });
                        }
                    }
                    row
                });
                continue;
            }
            for (n, number) in part.numbers.enumerate() {
                let sum = &mut sums[(part.lane + n) % ACCUMULATORS];
                // SAFETY: the number is below the window's length.
                *sum = reducer.combine(*sum, unsafe { calls.call(&mut windows, number, followed) });
            }
        }
    }
}
