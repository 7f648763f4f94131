//! The accumulators of a span's chunks, and which object uses which.

use std::ops::Range;

use crate::reduce::{ACCUMULATORS, GROUP, Reducer};

/// A row of accumulators per chunk of a span, 1 or [`SPAN_CHUNKS`](crate::reduce::SPAN_CHUNKS). Objects have places in the
/// span.
pub(super) type Accumulators<T> = [[T; ACCUMULATORS]];

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

/// Objects whose results are to be folded, by their numbers.
pub(super) enum Part {
    /// One object, with its chunk in the span and its accumulator.
    One { chunk: usize, lane: usize, n: usize },
    /// Objects of a chunk, as many as several rows of accumulators. The first uses the first accumulator. A copy of the
    /// accumulators stays in registers.
    Rows { chunk: usize, numbers: Range<usize> },
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
        let (chunk, lane) = (chunk_at(self.chunks, at), at % ACCUMULATORS);
        if lane > 0 || of_group < ACCUMULATORS {
            self.n += 1;
            return Some(Part::One { chunk, lane, n });
        }
        self.n += of_group / ACCUMULATORS * ACCUMULATORS;
        Some(Part::Rows { chunk, numbers: n..self.n })
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
