//! The accumulators of a span's chunks, and which object uses which.

use std::ops::Range;

use crate::reduce::{ACCUMULATORS, GROUP, Reducer};
use crate::value::LANES;

/// A row of accumulators per chunk of a span, 1 or [`SPAN_CHUNKS`](crate::reduce::SPAN_CHUNKS). Objects have places in the
/// span.
pub(super) type Accumulators<T> = [[T; ACCUMULATORS]];

/// Whether results are so large that accumulators of them are neither on the stack nor in registers.
pub(super) const fn are_large<T>() -> bool {
    size_of::<T>() > 64
}

/// Calls `fold` with the accumulators of a chunk, and combines them.
pub(super) fn of_chunk<T: Copy, R: Reducer<T>>(reducer: R, fold: impl FnOnce(&mut Accumulators<T>)) -> T {
    if const { are_large::<T>() } {
        let mut sums = vec![reducer.identity(); ACCUMULATORS];
        fold(sums.as_chunks_mut().0);
        return combine_halves(&mut sums, reducer);
    }
    let mut sums = [[reducer.identity(); ACCUMULATORS]];
    fold(&mut sums);
    combine_halves(&mut sums[0], reducer)
}

/// The accumulator of the object at a place.
#[inline]
pub(super) fn accumulator<T>(sums: &mut Accumulators<T>, place: usize) -> &mut T {
    let chunk = chunk_at(sums.len(), place);
    &mut sums[chunk][place % ACCUMULATORS]
}

/// Which of a span's chunks has the object at a place.
#[inline]
fn chunk_at(chunks: usize, place: usize) -> usize {
    // Their number is a power of two.
    (place / GROUP) & (chunks - 1)
}

/// Objects of a chunk whose results are to be folded: fewer than a row of accumulators, or so many that each accumulator
/// is used as often.
pub(super) struct Part {
    /// The chunk in the span.
    pub(super) chunk: usize,
    /// The first object's accumulator. The next object uses the next one, and the first follows the last.
    pub(super) lane: usize,
    /// The objects' numbers.
    pub(super) numbers: Range<usize>,
}

impl Part {
    /// Whether each accumulator is used as often, and [`fold_rows`] is to be called.
    #[inline]
    pub(super) fn has_rows<T>(&self) -> bool {
        self.numbers.len() >= ACCUMULATORS && const { !are_large::<T>() }
    }
}

/// The parts of `len` objects, the first of which has a place in the span and number 0. An iterator: code for a part is
/// compiled where it is written, once.
pub(super) struct Parts {
    place: usize,
    len: usize,
    chunks: usize,
    n: usize,
}

impl Parts {
    #[inline]
    pub(super) fn new<T>(sums: &Accumulators<T>, place: usize, len: usize) -> Self {
        Self { place, len, chunks: sums.len(), n: 0 }
    }
}

impl Iterator for Parts {
    type Item = Part;

    #[inline(always)]
    fn next(&mut self) -> Option<Part> {
        let (n, at) = (self.n, self.place + self.n);
        let left = self.len - n;
        if left == 0 {
            return None;
        }
        let of_group = if self.chunks > 1 { left.min(GROUP - at % GROUP) } else { left };
        self.n += if of_group < ACCUMULATORS { of_group } else { of_group / ACCUMULATORS * ACCUMULATORS };
        Some(Part { chunk: chunk_at(self.chunks, at), lane: at % ACCUMULATORS, numbers: n..self.n })
    }
}

/// Folds rows of results into a chunk's accumulators, the first result into that of a lane. `fold` gets the accumulators,
/// that one first, as a copy, which stays in registers.
#[inline(always)]
pub(super) fn fold_rows<T: Copy>(
    sums: &mut [T; ACCUMULATORS],
    lane: usize,
    fold: impl FnOnce([T; ACCUMULATORS]) -> [T; ACCUMULATORS],
) {
    if lane != 0 {
        sums.rotate_left(lane);
    }
    *sums = fold(*sums);
    if lane != 0 {
        sums.rotate_right(lane);
    }
}

/// Folds the values for all numbers below `len` into a chunk's accumulators, in an order of which LLVM makes good vectors.
#[inline(always)]
pub(super) fn fold_exact<T: Copy, R: Reducer<T>>(
    reducer: R,
    sums: &mut [T; ACCUMULATORS],
    len: usize,
    mut value: impl FnMut(usize) -> T,
) {
    // Copies, which stay in registers. One sum is up to twice as fast, but a minimum of numbers takes 1.4 times as long.
    let mut own = [reducer.identity(); LANES];
    let mut first = 0;
    if const { matches!(size_of::<T>(), 4 | 8) } {
        while first + LANES <= len {
            for lane in 0..LANES {
                own[lane] = reducer.combine(own[lane], value(first + lane));
            }
            first += LANES;
        }
    }
    for n in first..len {
        own[0] = reducer.combine(own[0], value(n));
    }
    for lane in 0..LANES {
        sums[lane] = reducer.combine(sums[lane], own[lane]);
    }
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
