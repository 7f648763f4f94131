//! The host executor: chunks of consecutive objects, spread over threads.
//!
//! A chunk is never smaller than a few cache lines of each column, so that two threads seldom write to
//! the same line, and its bounds depend on nothing that changes a result.

mod calls;
mod chunks;
mod collect;
mod construct;
mod each;
mod pairs;
mod prefetch;
mod reduce;
mod rows;

pub(crate) use chunks::{AllReturned, for_chunks, spread};
pub(crate) use collect::execute_and_collect;
pub(crate) use construct::construct;
pub(crate) use each::{call_each, execute_each, finish_each};
pub(crate) use pairs::execute_pairs;
pub(crate) use reduce::{execute_and_reduce, execute_each_and_reduce, reduce, reduce_each};
pub(crate) use rows::{call, execute, finish};

use std::ops::{Range, RangeBounds};

use crate::panics::written;
use crate::range::within;

/// Chunks are multiples of this: a tile, and cache lines of the smallest element.
const GRAIN: usize = 128;

/// The same for kernels that do much work a call; for so few of their objects other threads are woken.
const HEAVY_GRAIN: usize = 64;

/// Below this many objects, waking other threads costs more than it brings.
const SEQUENTIAL_BELOW: usize = 4096;

/// How much of the work one task takes.
#[inline]
fn task_len(objects: usize, heavy: bool) -> usize {
    let sequential_below = if heavy { HEAVY_GRAIN } else { SEQUENTIAL_BELOW };
    if objects <= sequential_below {
        return objects.max(1);
    }
    let threads = rayon::current_num_threads();
    if threads == 1 {
        return objects;
    }
    if heavy {
        return (objects / (threads * 8)).max(HEAVY_GRAIN).next_multiple_of(HEAVY_GRAIN);
    }
    (objects / (threads * 8)).max(1024).next_multiple_of(GRAIN)
}

/// The positions that a range means, among `len`.
///
/// # Panics
///
/// If it is out of range, as slicing does.
#[track_caller]
pub(crate) fn positions(range: impl RangeBounds<usize>, len: usize, class: &str) -> Range<usize> {
    match within(&range, len) {
        Some(range) => range,
        None => panic!("range `{}` is out of range for {len} objects of class {class}", written(&range)),
    }
}

/// Splits a chunk at the ends of the layout's windows.
fn for_windows(range: Range<usize>, window: usize, mut work: impl FnMut(Range<usize>)) {
    let mut start = range.start;
    while start < range.end {
        let end = if window == usize::MAX { range.end } else { (start / window + 1) * window }.min(range.end);
        work(start..end);
        start = end;
    }
}
