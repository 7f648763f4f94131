//! Kernels whose results are combined, in the same order as on the host.
//!
//! Objects come in chunks, a chunk's results go to 32 accumulators, object *n* to accumulator *n* mod
//! 32, and these are combined in a fixed order. On the device each accumulator is a thread, so that
//! neighbouring threads read neighbouring objects.

use core::mem::{MaybeUninit, size_of};

use ikra_runtime::device;
use ikra_runtime::kernel::Kernel;
use ikra_runtime::reduce::{ACCUMULATORS, Reducer, chunk_len, part_accumulators};

use super::shared;
use crate::thread;

const _: () = assert!(ACCUMULATORS == 32, "the accumulators of a chunk are a warp");

/// Values that a thread asks for before it uses the first: memory answers late.
const AHEAD: usize = 8;

/// A reducer without state, which is all that the device can make.
#[inline(always)]
fn stateless<R: Copy>() -> R {
    const { assert!(size_of::<R>() == 0, "a reducer with state runs on the host only") };
    // SAFETY: a value of no bytes; there is one, since `R` is the type of an executor's argument.
    unsafe { MaybeUninit::<R>::uninit().assume_init() }
}

/// Combines the results of a kernel for `count` objects, chunk by chunk.
///
/// # Safety
///
/// 1. The world's tables are filled, and the class has `count` objects.
/// 2. There is room for a result a chunk, and shared memory for one a thread.
/// 3. No other kernel runs in the world.
#[inline(always)]
pub unsafe fn reduce<K, A, R>(count: u32, results: *mut K::Output, args: A)
where
    K: Kernel<A, Output: Copy>,
    A: Copy,
    R: Reducer<K::Output>,
{
    let chunk = chunk_len(count as usize, K::HEAVY) as u32;
    // SAFETY: passed on.
    unsafe { fold::<_, R>(count, chunk, results, |n| device::call::<K, A>(n, args)) }
}

/// Combines `count` values, in one block with a thread an accumulator.
///
/// # Safety
///
/// There are `count` values, room for a result, and shared memory for a value a thread.
#[inline(always)]
pub unsafe fn combine<T: Copy, R: Reducer<T>>(count: u32, values: *const T, results: *mut T) {
    let reducer = stateless::<R>();
    let threads = const { part_accumulators::<T>() } as u32;
    let own = thread::thread_idx_x();
    // SAFETY: within the values.
    let value = |n: u32| unsafe { *values.add(n as usize) };
    let mut sum = fold_own::<T, R>(reducer, own, count, threads, value);
    let sums = shared::start::<T>();
    // SAFETY: shared memory has a place a thread.
    unsafe { sums.add(own as usize).write(sum) };
    let mut width = threads / 2;
    while width > 0 {
        // SAFETY: every thread of the block comes here.
        unsafe { thread::sync_threads() };
        if own < width {
            // SAFETY: written before the barrier, and not changed since: threads from `width` on write no more.
            sum = reducer.combine(sum, unsafe { *sums.add((own + width) as usize) });
            // SAFETY: the thread's own place, which another reads after the next barrier at the earliest.
            unsafe { sums.add(own as usize).write(sum) };
        }
        width /= 2;
    }
    if own == 0 {
        // SAFETY: there is room for the result.
        unsafe { results.write(sum) };
    }
}

/// Combines the values of one accumulator: every `step`-th from `first` on, below `end`.
#[inline(always)]
fn fold_own<T: Copy, R: Reducer<T>>(reducer: R, first: u32, end: u32, step: u32, value: impl Fn(u32) -> T) -> T {
    let mut sum = reducer.identity();
    let mut n = first;
    // Whole groups, for as long as the last of a group is there.
    while u64::from(n) + u64::from(step) * (AHEAD as u64 - 1) < u64::from(end) {
        let ahead: [T; AHEAD] = core::array::from_fn(|k| value(n + k as u32 * step));
        // By index, which is unrolled: an iterator over the array would put it in memory.
        for k in 0..AHEAD {
            sum = reducer.combine(sum, ahead[k]);
        }
        n += step * AHEAD as u32;
    }
    while n < end {
        sum = reducer.combine(sum, value(n));
        n += step;
    }
    sum
}

/// # Safety
///
/// `value` may be called once for each number below `count`; there is room for a result a chunk, and
/// shared memory for one a thread.
#[inline(always)]
unsafe fn fold<T: Copy, R: Reducer<T>>(count: u32, chunk: u32, results: *mut T, value: impl Fn(u32) -> T) {
    let reducer = stateless::<R>();
    let lanes = ACCUMULATORS as u32;
    let number = thread::index_1d() / lanes;
    let lane = thread::thread_idx_x() % lanes;
    let first = u64::from(number) * u64::from(chunk);
    let mut sum = reducer.identity();
    if first < u64::from(count) {
        let first = first as u32;
        sum = fold_own::<T, R>(reducer, first + lane, first + chunk.min(count - first), lanes, value);
    }
    let sums = shared::start::<T>();
    let own = thread::thread_idx_x() as usize;
    // SAFETY: shared memory has a place a thread.
    unsafe { sums.add(own).write(sum) };
    // The accumulators of a chunk are the threads of a warp.
    let mut width = lanes / 2;
    while width > 0 {
        // SAFETY: every thread of the warp comes here.
        unsafe { thread::sync_warp() };
        if lane < width {
            // SAFETY: written by a thread of this warp before it came to the barrier, and not changed since: threads
            // from `width` on write no more.
            sum = reducer.combine(sum, unsafe { *sums.add(own + width as usize) });
            // SAFETY: the thread's own place, which another reads after the next barrier at the earliest.
            unsafe { sums.add(own).write(sum) };
        }
        width /= 2;
    }
    if lane == 0 && first < u64::from(count) {
        // SAFETY: there is room for a result a chunk.
        unsafe { results.add(number as usize).write(sum) };
    }
}
