//! Chains: the kernels of a chain are called for an object one after another, in one loop over the objects.

use std::mem::{MaybeUninit, needs_drop};
use std::ops::Range;

use super::accumulators::{Accumulators, Parts, accumulator, are_large, fold_exact, fold_rows};
use super::chunks::AllReturned;
use super::collect::collect_all;
use super::for_windows;
use super::pairs::LARGEST_BLOCK;
use super::reduce::{Span, reduce_spans};
use super::stage::Stage;

use crate::class::{Class, ClassInfo};
use crate::isa::Isa;
use crate::layout::Layout;
use crate::list::{Listed, Run};
use crate::mode::Chunk;
use crate::objects::Objects;
use crate::reduce::{ACCUMULATORS, Reducer};
use crate::spread::{Job, Spread};
use crate::table::{BaseSet, Table};
use crate::value::LANES;

/// Combines the results of a chain for the objects in `among`. Objects count from the first of these, whether they are
/// chosen or not.
///
/// No `AllReturned` is needed: pure kernels leave nothing to commit.
#[track_caller]
pub(crate) fn reduce<C, S, R>(objects: &mut Objects<C>, among: &Listed, stage: S, reducer: R) -> S::Output
where
    C: Class,
    S: Stage<C, Output: Copy + Send + Sync>,
    R: Reducer<S::Output>,
{
    let table = objects.table();
    // SAFETY: the objects exist, and `&mut objects` excludes other kernels.
    let fold = |span: Span<'_, S::Output>| unsafe { reduce_places(table, among, span, stage, reducer) };
    reduce_spans(among.len(), const { S::EFFECTS.is_heavy() }, reducer, fold, fold).0
}

/// The results of a chain for the objects in `among` that are chosen, in the order of their ids.
#[track_caller]
pub(crate) fn collect<C, S>(objects: &mut Objects<C>, among: &Listed, stage: S) -> Vec<S::Output>
where
    C: Class,
    S: Stage<C, Output: Send>,
{
    let table = objects.table();
    // SAFETY: the objects exist, and `&mut objects` excludes other kernels.
    let collect = |places: Range<usize>| unsafe { collect_places(table, among, places, stage) };
    let (results, _): (_, AllReturned) = collect_all(among.len(), const { S::EFFECTS.is_heavy() }, &collect, collect);
    results
}

/// Opens the columns that a chain reads, and calls `work` for the objects at some positions of a list, one window after
/// another, with the number of objects before it.
///
/// # Safety
///
/// The objects exist. During the call no kernel writes in this world, whose links are checked.
#[inline(always)]
unsafe fn for_places<C: Class, S: Stage<C>>(
    table: &Table<C>,
    among: &Listed,
    places: Range<usize>,
    mut work: impl for<'w> FnMut(S::Windows<'w>, Chunk<'w, C>, usize),
) {
    let shadow = <C as ClassInfo>::Bases::NONE;
    let mut before = 0;
    let mut of_window = |window: Range<usize>| {
        let chunk = Chunk { table, shadow: &shadow, first: window.start, len: window.len() };
        // SAFETY: the chunk is one window of objects that exist, and nothing writes meanwhile, by the caller.
        work(unsafe { S::open(chunk) }, chunk, before);
        before += chunk.len;
    };
    for run in among.runs(places) {
        match run {
            Run::Range(range) => for_windows(range, <C::Layout as Layout>::WINDOW, &mut of_window),
            Run::Each(indices) => indices.iter().for_each(|&index| of_window(index as usize..index as usize + 1)),
        }
    }
}

/// Combines the results for the objects at the positions of a span.
///
/// # Safety
///
/// As for [`for_places`].
unsafe fn reduce_places<C, S, R>(
    table: &Table<C>,
    among: &Listed,
    (places, sums): Span<'_, S::Output>,
    stage: S,
    reducer: R,
) where
    C: Class,
    S: Stage<C, Output: Copy>,
    R: Reducer<S::Output>,
{
    // SAFETY: the objects exist, nothing writes in the world, and its links are checked.
    unsafe {
        for_places::<C, S>(table, among, places, |windows, chunk, place| {
            if chunk.len == 1 {
                let result = One { stage, chunk }.run((windows,)).unwrap_or_else(|| reducer.identity());
                let sum = accumulator(sums, place);
                *sum = reducer.combine(*sum, result);
                return;
            }
            let fold = Fold { stage, chunk, reducer, place, sums: &mut *sums };
            (windows,).spread(fold, Isa::of(const { S::EFFECTS.is_heavy() }));
        });
    }
}

/// The results for those of the objects at some positions that are chosen.
///
/// # Safety
///
/// As for [`for_places`].
unsafe fn collect_places<C, S>(table: &Table<C>, among: &Listed, places: Range<usize>, stage: S) -> Vec<S::Output>
where
    C: Class,
    S: Stage<C>,
{
    let mut results = Vec::new();
    // SAFETY: the objects exist, nothing writes in the world, and its links are checked.
    unsafe {
        for_places::<C, S>(table, among, places, |windows, chunk, _| {
            if chunk.len == 1 {
                results.extend(One { stage, chunk }.run((windows,)));
                return;
            }
            let isa = Isa::of(const { S::EFFECTS.is_heavy() });
            (windows,).spread(Collect { stage, chunk, results: &mut results }, isa);
        });
    }
    results
}

/// The number of objects whose results are computed before they are combined or listed. LLVM makes vectors of each of
/// these two loops, and not of one loop that does both.
const BLOCK: usize = 8 * ACCUMULATORS;

/// Calls `put` for `len` objects of a chunk from `start` on, with an object's number among them and its result, if it is
/// chosen.
///
/// # Safety
///
/// The objects are within the chunk, whose windows these are. The rest is as for [`for_places`].
#[inline(always)]
unsafe fn for_results<'w, C: Class, S: Stage<C>>(
    stage: S,
    windows: &S::Windows<'w>,
    chunk: Chunk<'w, C>,
    start: usize,
    len: usize,
    mut put: impl FnMut(usize, Option<S::Output>),
) {
    let mut first = 0;
    if const { size_of::<S::Block<'_>>() > LARGEST_BLOCK } {
        for n in 0..len {
            // SAFETY: the object is within the chunk; the rest holds by the caller.
            put(n, unsafe { alone(stage, windows, chunk, start + n) });
        }
        return;
    }
    if len >= LANES {
        // SAFETY: these objects are within the chunk, by the caller.
        let mut next = unsafe { S::block(windows, start, LANES) };
        while first + LANES <= len {
            let block = next;
            // Read one turn ahead. Otherwise LLVM moves reads behind the condition that an object is chosen, and cannot
            // read for several objects at once. The last block is read twice.
            // SAFETY: as above: there are at least that many objects.
            next = unsafe { S::block(windows, start + (first + LANES).min(len - LANES), LANES) };
            for lane in 0..LANES {
                let n = first + lane;
                // SAFETY: the object is within the chunk; the rest holds by the caller.
                put(n, unsafe { stage.call(&block, lane, chunk, start + n) });
            }
            first += LANES;
        }
    }
    if first < len {
        // SAFETY: these objects are within the chunk, by the caller.
        let block = unsafe { S::block(windows, start + first, len - first) };
        for lane in 0..len - first {
            let n = first + lane;
            // SAFETY: the object is within the chunk; the rest holds by the caller.
            put(n, unsafe { stage.call(&block, lane, chunk, start + n) });
        }
    }
}

/// The result for the only object of a window, without a call of a function.
struct One<'w, C: Class, S> {
    stage: S,
    chunk: Chunk<'w, C>,
}

impl<'w, C: Class, S: Stage<C>> Job<(S::Windows<'w>,)> for One<'w, C, S> {
    type Output = Option<S::Output>;
    const WIDE: bool = false;

    #[inline(always)]
    fn run(self, (windows,): (S::Windows<'w>,)) -> Self::Output {
        // SAFETY: the window has this object; the rest holds by the contract of `for_places`.
        unsafe { alone(self.stage, &windows, self.chunk, 0) }
    }
}

/// The result for object `n` of a chunk.
///
/// # Safety
///
/// As for [`for_results`].
#[inline(always)]
unsafe fn alone<'w, C: Class, S: Stage<C>>(
    stage: S,
    windows: &S::Windows<'w>,
    chunk: Chunk<'w, C>,
    n: usize,
) -> Option<S::Output> {
    if const { size_of::<S::Block<'_>>() > LARGEST_BLOCK } {
        // SAFETY: the object is within the windows, by the caller.
        return unsafe { stage.call_in(windows, chunk, n) };
    }
    // SAFETY: the object is within the windows, by the caller.
    let block = unsafe { S::block(windows, n, 1) };
    // SAFETY: it is the first of the block; the rest holds by the contract of `for_places`.
    unsafe { stage.call(&block, 0, chunk, n) }
}

/// Folds the results for the objects of a window, the first of which has a place in the span.
struct Fold<'w, 's, C: Class, S: Stage<C>, R> {
    stage: S,
    chunk: Chunk<'w, C>,
    reducer: R,
    place: usize,
    sums: &'s mut Accumulators<S::Output>,
}

impl<'w, C, S, R> Job<(S::Windows<'w>,)> for Fold<'w, '_, C, S, R>
where
    C: Class,
    S: Stage<C, Output: Copy>,
    R: Reducer<S::Output>,
{
    type Output = ();
    const WIDE: bool = const { S::EFFECTS.is_heavy() };

    #[inline(always)]
    fn run(self, (windows,): (S::Windows<'w>,)) {
        let Self { stage, chunk, reducer, place, sums } = self;
        let of = |result: Option<_>| result.unwrap_or_else(|| reducer.identity());
        if const { R::IS_EXACT && S::IS_ALL } {
            let value = |n| {
                // SAFETY: the object is within the chunk; the rest holds by the contract of `for_places`.
                of(unsafe { alone(stage, &windows, chunk, n) })
            };
            return fold_exact(reducer, &mut sums[0], chunk.len, value);
        }
        // Without storing results first. For many results of one byte or of eight that takes longer.
        if const { R::IS_EXACT } && (const { !matches!(size_of::<S::Output>(), 1 | 8) } || chunk.len < BLOCK) {
            let mut own = [reducer.identity(); LANES];
            let put = |n: usize, result| own[n % LANES] = reducer.combine(own[n % LANES], of(result));
            // SAFETY: these objects are within the chunk; the rest holds by the contract of `for_places`.
            unsafe { for_results(stage, &windows, chunk, 0, chunk.len, put) };
            for lane in 0..LANES {
                sums[0][lane] = reducer.combine(sums[0][lane], own[lane]);
            }
            return;
        }
        if const { are_large::<S::Output>() } {
            let put = |n: usize, result| {
                let sum = accumulator(sums, place + n);
                *sum = reducer.combine(*sum, of(result));
            };
            // SAFETY: these objects are within the chunk; the rest holds by the contract of `for_places`.
            return unsafe { for_results(stage, &windows, chunk, 0, chunk.len, put) };
        }
        let mut results = [reducer.identity(); BLOCK];
        let compute = |results: &mut [S::Output; BLOCK], start, len| {
            let put = |n: usize, result| results[n] = of(result);
            // SAFETY: these objects are within the chunk; the rest holds by the contract of `for_places`.
            unsafe { for_results(stage, &windows, chunk, start, len, put) };
        };
        for part in Parts::new(sums, place, chunk.len) {
            let (sums, has_rows) = (&mut sums[part.chunk], part.has_rows::<S::Output>());
            let Range { mut start, end } = part.numbers;
            if has_rows {
                fold_rows(sums, part.lane, |mut row| {
                    while start < end {
                        let len = BLOCK.min(end - start);
                        compute(&mut results, start, len);
                        // Of a constant length, so that the accumulators stay in registers.
                        for results in results[..len].as_chunks::<ACCUMULATORS>().0 {
                            for lane in 0..ACCUMULATORS {
                                row[lane] = reducer.combine(row[lane], results[lane]);
                            }
                        }
                        start += len;
                    }
                    row
                });
                continue;
            }
            compute(&mut results, start, end - start);
            for n in 0..end - start {
                let sum = &mut sums[(part.lane + n) % ACCUMULATORS];
                *sum = reducer.combine(*sum, results[n]);
            }
        }
    }
}

/// Appends the results for the chosen objects of a window to a list.
struct Collect<'w, 'r, C: Class, S: Stage<C>> {
    stage: S,
    chunk: Chunk<'w, C>,
    results: &'r mut Vec<S::Output>,
}

impl<'w, C: Class, S: Stage<C>> Job<(S::Windows<'w>,)> for Collect<'w, '_, C, S> {
    type Output = ();
    const WIDE: bool = const { S::EFFECTS.is_heavy() };

    #[inline(always)]
    fn run(self, (windows,): (S::Windows<'w>,)) {
        let Self { stage, chunk, results } = self;
        if const { needs_drop::<S::Output>() || size_of::<S::Output>() > 64 } {
            // SAFETY: these objects are within the chunk; the rest holds by the contract of `for_places`.
            unsafe { for_results(stage, &windows, chunk, 0, chunk.len, |_, result| results.extend(result)) };
            return;
        }
        let (mut values, mut flags) = ([const { MaybeUninit::uninit() }; BLOCK], [false; BLOCK]);
        let mut first = 0;
        while first < chunk.len {
            let len = BLOCK.min(chunk.len - first);
            let put = |n: usize, result: Option<_>| {
                flags[n] = result.is_some();
                values[n] = result.map_or(MaybeUninit::uninit(), MaybeUninit::new);
            };
            // SAFETY: these objects are within the chunk; the rest holds by the contract of `for_places`.
            unsafe { for_results(stage, &windows, chunk, first, len, put) };
            // SAFETY: `put` was called for the first `len` objects: a value whose flag is set exists.
            unsafe { append(results, &values[..len], &flags[..len]) };
            first += len;
        }
    }
}

/// Appends the values whose flags are set to a list, without a condition for each.
///
/// # Safety
///
/// A value whose flag is set exists, and is not used again.
#[inline(always)]
unsafe fn append<T>(to: &mut Vec<T>, values: &[MaybeUninit<T>], flags: &[bool]) {
    to.reserve(values.len());
    let room = to.spare_capacity_mut().as_mut_ptr();
    let mut count = 0;
    for (value, &is_set) in values.iter().zip(flags) {
        // SAFETY: `count` is less than the number of values, for which there is room.
        let place = unsafe { room.add(count) };
        // SAFETY: the list's room and the values are different memory.
        unsafe { place.copy_from_nonoverlapping(value, 1) };
        count += usize::from(is_set);
    }
    // SAFETY: there is room for `count` values. Each value whose flag is set, which exists, was copied to the place that
    // only its flag has moved on from, so it is there.
    unsafe { to.set_len(to.len() + count) };
}
