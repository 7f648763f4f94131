//! `execute_and_reduce` and the like: a kernel for many objects, its results combined.

use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};

use rayon::prelude::*;

use super::prefetch::prefetch_next;
use super::rows::prepare;
use super::{check_distinct, for_runs, positions};
use crate::access::Chunk;
use crate::arity::{AccessTuple, Job, ModeTuple, Spread};
use crate::class::Class;
use crate::error::Error;
use crate::isa::Isa;
use crate::kernel::{Call, FieldsOf};
use crate::layout::Layout;
use crate::link::Link;
use crate::objects::Objects;
use crate::reduce::{ACCUMULATORS, Reducer, chunk_len, part_accumulators};
use crate::run::Run;
use crate::step::step;
use crate::table::Table;

/// Calls the kernel for the objects at some positions and combines the results.
pub(crate) fn execute_and_reduce<K, A, R>(
    objects: &mut Objects<K::Class>,
    range: impl RangeBounds<usize>,
    args: A,
    reducer: R,
) -> K::Output
where
    K: Call<A, Output: Copy + Send + Sync>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
{
    let range = positions(range, objects.len(), <K::Class as Class>::NAME);
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let result = reduce_chunks(range.len(), const { K::EFFECTS.is_heavy }, reducer, |chunk| {
        let chunk = range.start + chunk.start..range.start + chunk.end;
        // SAFETY: chunks are disjoint parts of the objects, and `&mut objects` excludes other kernels.
        unsafe { reduce_chunk::<K, A, R>(table, &shadow, chunk, args, reducer) }
    });
    objects.commit_shadow(const { K::EFFECTS.shadowed() }, range);
    result
}

/// Calls the kernel for each object in the list and combines the results.
pub(crate) fn execute_each_and_reduce<K, A, R>(
    objects: &mut Objects<K::Class>,
    links: &[Link<K::Class>],
    args: A,
    reducer: R,
) -> Result<K::Output, Error>
where
    K: Call<A, Output: Copy + Send + Sync>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
{
    check_distinct(objects, links)?;
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let result = reduce_chunks(links.len(), const { K::EFFECTS.is_heavy }, reducer, |chunk| {
        // SAFETY: the objects exist and are in the list once, and `&mut objects` excludes other kernels.
        unsafe { reduce_links::<K, A, R>(table, &shadow, &links[chunk], args, reducer) }
    });
    for link in links {
        objects.commit_shadow(const { K::EFFECTS.shadowed() }, link.index()..link.index() + 1);
    }
    Ok(result)
}

/// Combines the results for the chunks of `0..count`, which `fold` finds, in parallel where it pays.
fn reduce_chunks<T, R>(count: usize, heavy: bool, reducer: R, fold: impl Fn(Range<usize>) -> T + Sync) -> T
where
    T: Copy + Send + Sync,
    R: Reducer<T>,
{
    let chunk = chunk_len(count, heavy);
    let fold = |n: usize| fold(n * chunk..((n + 1) * chunk).min(count));
    match count.div_ceil(chunk) {
        0 => reducer.identity(),
        1 => fold(0),
        chunks => combine_parts(&fold_chunks(chunks, &fold), reducer),
    }
}

/// The results of some chunks, in their order. One function for all kernels with results of a type.
fn fold_chunks<T: Send>(chunks: usize, fold: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    if rayon::current_num_threads() == 1 {
        (0..chunks).map(fold).collect()
    } else {
        let run = Run::default();
        let parts: Vec<_> = (0..chunks).into_par_iter().map(|n| run.chunk(|| fold(n))).collect();
        parts.into_iter().flatten().collect()
    }
}

/// Combines the results of chunks.
fn combine_parts<T: Copy, R: Reducer<T>>(parts: &[T], reducer: R) -> T {
    let count = part_accumulators::<T>();
    let mut sums = vec![reducer.identity(); count];
    for (n, &part) in parts.iter().enumerate() {
        sums[n % count] = reducer.combine(sums[n % count], part);
    }
    combine_halves(&mut sums, reducer)
}

/// Combines accumulators, a power of two, in a fixed order.
fn combine_halves<T: Copy, R: Reducer<T>>(sums: &mut [T], reducer: R) -> T {
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
/// As for `run_rows`.
unsafe fn reduce_chunk<K, A, R>(
    table: &Table<K::Class>,
    shadow: &<K::Class as Class>::Bases,
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
    for_runs(range, <<K::Class as Class>::Layout as Layout>::RUN, |run| {
        prefetch_next::<K>(table, run.end);
        let chunk = Chunk { table, shadow, first: run.start, len: run.len() };
        // SAFETY: as in `run_rows`.
        let runs = unsafe { K::Modes::open::<K::Class>(chunk) };
        // The accumulator of the run's first object comes first. Only tiles of a chunk that starts within one
        // are turned.
        let turn = (run.start - start) % ACCUMULATORS;
        if turn != 0 {
            lanes.rotate_left(turn);
        }
        let job =
            Fold::<K, A, R> { table, first: run.start, len: run.len(), args, reducer, lanes, kernel: PhantomData };
        lanes = runs.spread(job, Isa::of(const { K::EFFECTS.is_heavy }));
        if turn != 0 {
            lanes.rotate_right(turn);
        }
    });
    combine_halves(&mut lanes, reducer)
}

/// Combines the results for the objects of one chunk of a list.
///
/// # Safety
///
/// As for `run_rows`, for each of the objects.
unsafe fn reduce_links<K, A, R>(
    table: &Table<K::Class>,
    shadow: &<K::Class as Class>::Bases,
    links: &[Link<K::Class>],
    args: A,
    reducer: R,
) -> K::Output
where
    K: Call<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
{
    let isa = Isa::of(const { K::EFFECTS.is_heavy });
    let mut lanes = [reducer.identity(); ACCUMULATORS];
    let mut done = 0;
    for run in links.chunk_by(|a, b| b.id() == a.id() + 1) {
        let first = run[0].index();
        for_runs(first..first + run.len(), <<K::Class as Class>::Layout as Layout>::RUN, |run| {
            let (first, len) = (run.start, run.len());
            // SAFETY: as in `run_rows`.
            let runs = unsafe { K::Modes::open::<K::Class>(Chunk { table, shadow, first, len }) };
            let job =
                FoldOn::<K, A, R> { table, first, len, args, reducer, done, lanes: &mut lanes, kernel: PhantomData };
            runs.spread(job, isa);
            done += len;
        });
    }
    combine_halves(&mut lanes, reducer)
}

/// Folds the results for the objects of a run into the accumulators, the first object's into the first.
struct Fold<'w, K: Call<A>, A, R> {
    table: &'w Table<K::Class>,
    first: usize,
    len: usize,
    args: A,
    reducer: R,
    lanes: [K::Output; ACCUMULATORS],
    kernel: PhantomData<K>,
}

impl<K, A, R, X> Job<X> for Fold<'_, K, A, R>
where
    K: Call<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
    X: AccessTuple<FieldsOf<K>>,
{
    type Output = [K::Output; ACCUMULATORS];
    const WIDE: bool = const { K::EFFECTS.is_heavy };

    #[inline(always)]
    fn run(self, mut runs: X) -> [K::Output; ACCUMULATORS] {
        let Self { table, first, len, args, reducer, mut lanes, .. } = self;
        let mut done = 0;
        while done + ACCUMULATORS <= len {
            for (lane, sum) in lanes.iter_mut().enumerate() {
                let n = done + lane;
                // SAFETY: within the runs.
                let value = unsafe { step::<K, X, _>(&mut runs, n, table, first + n, |view| K::call(view, args)) };
                *sum = reducer.combine(*sum, value);
            }
            done += ACCUMULATORS;
        }
        for (lane, n) in (done..len).enumerate() {
            // SAFETY: within the runs.
            let value = unsafe { step::<K, X, _>(&mut runs, n, table, first + n, |view| K::call(view, args)) };
            lanes[lane] = reducer.combine(lanes[lane], value);
        }
        lanes
    }
}

/// The same for the few objects of a list that follow one another, after `done` others of the chunk: the
/// accumulators stay where they are.
struct FoldOn<'w, 'l, K: Call<A>, A, R> {
    table: &'w Table<K::Class>,
    first: usize,
    len: usize,
    args: A,
    reducer: R,
    done: usize,
    lanes: &'l mut [K::Output; ACCUMULATORS],
    kernel: PhantomData<K>,
}

impl<K, A, R, X> Job<X> for FoldOn<'_, '_, K, A, R>
where
    K: Call<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
    X: AccessTuple<FieldsOf<K>>,
{
    type Output = ();
    const WIDE: bool = const { K::EFFECTS.is_heavy };

    #[inline(always)]
    fn run(self, mut runs: X) {
        let Self { table, first, len, args, reducer, done, lanes, .. } = self;
        for n in 0..len {
            // SAFETY: within the runs.
            let value = unsafe { step::<K, X, _>(&mut runs, n, table, first + n, |view| K::call(view, args)) };
            let sum = &mut lanes[(done + n) % ACCUMULATORS];
            *sum = reducer.combine(*sum, value);
        }
    }
}
