//! `execute_and_reduce`: a kernel for all objects, its results combined.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use super::for_runs;
use super::prefetch::prefetch_next;
use super::rows::prepare;
use crate::access::Chunk;
use crate::arity::{AccessTuple, Job, ModeTuple, Spread};
use crate::call::step;
use crate::class::Class;
use crate::isa::Isa;
use crate::kernel::{FieldsOf, Kernel, snapshot_of};
use crate::layout::Layout;
use crate::objects::Objects;
use crate::reduce::{ACCUMULATORS, Reducer, chunk_len, part_accumulators};
use crate::table::Table;

/// Calls the kernel for all objects and combines the results.
pub(crate) fn execute_and_reduce<K, A, R>(objects: &mut Objects<K::Class>, args: A, reducer: R) -> K::Output
where
    K: Kernel<A, Output: Copy + Send + Sync>,
    A: Copy + Send + Sync,
    R: Reducer<K::Output>,
{
    let shadow = prepare::<K>(objects);
    let table = objects.table();
    let len = objects.len();
    let chunk = chunk_len(len, K::HEAVY);
    let fold = |n: usize| {
        // SAFETY: chunks are disjoint parts of the objects, and `&mut objects` excludes other kernels.
        unsafe { reduce_chunk::<K, A, R>(table, &shadow, n * chunk..((n + 1) * chunk).min(len), args, reducer) }
    };
    let chunks = len.div_ceil(chunk);
    let result = if chunks <= 1 {
        (0..chunks).map(fold).next()
    } else {
        let parts: Vec<_> = if rayon::current_num_threads() == 1 {
            (0..chunks).map(fold).collect()
        } else {
            (0..chunks).into_par_iter().map(fold).collect()
        };
        Some(combine_parts(&parts, reducer))
    };
    objects.commit_shadow(snapshot_of::<K>(), 0..len);
    result.unwrap_or_else(|| reducer.identity())
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
    K: Kernel<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
{
    let mut lanes = [reducer.identity(); ACCUMULATORS];
    for_runs(range, <<K::Class as Class>::Layout as Layout>::RUN, |run| {
        prefetch_next::<K>(table, run.end);
        let chunk = Chunk { table, shadow, first: run.start, len: run.len() };
        // SAFETY: as in `run_rows`.
        let runs = unsafe { K::Modes::open::<K::Class>(chunk) };
        let job =
            Fold::<K, A, R> { table, first: run.start, len: run.len(), args, reducer, lanes, kernel: PhantomData };
        lanes = runs.spread(job, Isa::of(K::HEAVY));
    });
    combine_halves(&mut lanes, reducer)
}

/// Folds the results for the objects of a run into the accumulators. A run
/// starts at a multiple of that, so that an object's accumulator is the same under every layout.
struct Fold<'w, K: Kernel<A>, A, R> {
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
    K: Kernel<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
    X: AccessTuple<FieldsOf<K>>,
{
    type Output = [K::Output; ACCUMULATORS];
    const WIDE: bool = K::HEAVY;

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
