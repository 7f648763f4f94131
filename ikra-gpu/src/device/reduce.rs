//! Kernels whose results are combined, in the same order as on the host.
//!
//! Objects come in chunks, a chunk's results go to 32 accumulators, object *n* to accumulator *n* mod
//! 32, and these are combined in a fixed order. On the device each accumulator is a thread.
//!
//! Of kernels that do little, a chunk is a warp's: each thread takes the objects of its accumulator, and
//! neighbouring threads read neighbouring objects. Of heavy ones, it is a block's: each thread calls the kernel
//! for one object, and the first warp adds up what they found.
//!
//! The block that is done last combines the results of all chunks: one kernel does everything.

use core::arch::asm;
use core::mem::{MaybeUninit, size_of};

use ikra_core::kernel::Call;
use ikra_core::reduce::{ACCUMULATORS, Reducer, part_accumulators, part_len};
use ikra_core::thread;
use ikra_core::transfer::{OnWire, Transfer};

use super::call;
use super::execute::object;
use super::shared;

/// The accumulators of a chunk.
const LANES: u32 = ACCUMULATORS as u32;
const _: () = assert!(LANES == 32, "they are a warp");

/// Values that a thread asks for before it uses the first: memory answers late.
const AHEAD: usize = 8;

/// A reducer without state, which is all that the device can make.
#[inline(always)]
fn stateless<R: Copy>() -> R {
    const { assert!(size_of::<R>() == 0, "a reducer with state runs on the host only") };
    // SAFETY: a value of no bytes; there is one, since `R` is the type of an executor's argument.
    unsafe { MaybeUninit::<R>::uninit().assume_init() }
}

/// As what the results of a kernel travel.
type WireOf<K, A> = <<K as Call<A>>::Output as Transfer>::Wire;

/// Where a reduction has its results.
#[derive(Clone, Copy, Debug)]
pub struct Results<T> {
    /// Those of chunks.
    pub chunks: *mut T,
    /// The one of all.
    pub all: *mut T,
    /// How many blocks are done: 0 before and after.
    pub done: *mut u32,
}

/// Combines the results of a kernel for the objects `first..end`, or for those whose indices are at these places
/// of the list. Everything is done with results as they travel to the host: the host knows their size.
///
/// # Safety
///
/// 1. The world's tables are filled, the objects exist, at least one, and none is in the list twice. The list is
///    null or holds `end` indices.
/// 2. There is room for one result per chunk and for the total, and `results.done` is 0; there is shared memory for
///    one result per thread, and for one per accumulator of [`part_accumulators`].
/// 3. No other kernel runs in the world. Threads come in whole warps, and unless the kernel is heavy, there is
///    one for each chunk.
#[inline(always)]
pub unsafe fn reduce<K, A, R>(first: u32, end: u32, list: *const u32, results: Results<WireOf<K, A>>, args: A)
where
    K: Call<A, Output: Transfer>,
    A: Copy,
    R: Reducer<K::Output>,
{
    let reducer = stateless::<OnWire<R, K::Output>>();
    let count = end - first;
    // SAFETY: passed on: each object is one thread's.
    let call = |index: u32| unsafe { call::call::<K, A>(index, args) }.pack();
    // SAFETY: within the list.
    let listed = |n: u32| call(unsafe { object(list, first + n) });
    let chunk = part_len(count as usize, const { K::EFFECTS.is_heavy() }) as u32;
    let chunks = count.div_ceil(chunk);
    let len = |number: u32| chunk.min(count - number * chunk);
    let keep = |number: u32, sum| {
        let to = if chunks == 1 { results.all } else { results.chunks };
        // SAFETY: there is room for one result per chunk, and for the total.
        unsafe { to.add(number as usize).write(sum) };
    };
    if const { K::EFFECTS.is_heavy() } {
        let mut number = thread::block_idx_x();
        while number < chunks {
            // SAFETY: every thread of the block comes here; passed on.
            let sum = unsafe { combine_warp(reducer, fold_by_block(reducer, number * chunk, len(number), listed)) };
            if thread::thread_idx_x() == 0 {
                keep(number, sum);
            }
            number += thread::grid_dim_x();
        }
    } else {
        let (number, lane) = (thread::index_1d() / LANES, thread::thread_idx_x() % LANES);
        let mut sum = reducer.identity();
        if number < chunks {
            let (start, end) = (number * chunk + lane, number * chunk + len(number));
            sum = if list.is_null() {
                // Asked here, once: a branch for each object would keep values from being read ahead.
                fold_own(reducer, first + start, first + end, LANES, call)
            } else {
                fold_one_by_one(reducer, start, end, LANES, listed)
            };
        }
        // SAFETY: every thread of the warp comes here; passed on.
        sum = unsafe { combine_warp(reducer, sum) };
        if lane == 0 && number < chunks {
            keep(number, sum);
        }
    }
    // SAFETY: every thread of every block comes here; 2.
    unsafe {
        if chunks > 1 && is_last_block(results.done) {
            combine::<_, OnWire<R, K::Output>>(chunks, results);
        }
    }
}

/// Whether all other blocks were here before this one; then what their threads wrote is visible.
///
/// # Safety
///
/// Every thread of every block comes here, with the address of a number that was 0 before the kernel; shared
/// memory has room for a number, and is not needed any more for what it held.
#[inline(always)]
unsafe fn is_last_block(done: *mut u32) -> bool {
    let is_last = shared::start::<bool>();
    // SAFETY: every thread of the block comes here.
    unsafe { thread::sync_threads() };
    if thread::thread_idx_x() == 0 {
        let before: u32;
        // SAFETY: an atomic addition. The fences order what the block's threads wrote before it, and what they will
        // read after it.
        unsafe {
            asm!(
                "fence.acq_rel.gpu; atom.relaxed.gpu.global.add.u32 {0}, [{1}], 1; fence.acq_rel.gpu;",
                out(reg32) before,
                in(reg64) done,
                options(nostack, preserves_flags)
            );
        }
        // SAFETY: there is room for it.
        unsafe { is_last.write(before + 1 == thread::grid_dim_x()) };
    }
    // SAFETY: every thread of the block comes to both barriers; the first thread wrote before the first, and nobody
    // writes until all have read.
    unsafe {
        thread::sync_threads();
        let is_last = is_last.read();
        thread::sync_threads();
        is_last
    }
}

/// Combines the results of `count` chunks, by the threads of one block.
///
/// # Safety
///
/// Every thread of the block comes here. There are as many results, room for the total, and shared memory
/// for one value per accumulator.
#[inline(always)]
unsafe fn combine<T: Copy, R: Reducer<T>>(count: u32, results: Results<T>) {
    let reducer = stateless::<R>();
    let accumulators = const { part_accumulators::<T>() } as u32;
    let (own, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let sums = shared::start::<T>();
    let mut n = own;
    while n < accumulators {
        // SAFETY: within the results.
        let sum = unsafe { fold_parts::<T, R>(reducer, results.chunks.add(n as usize), count.saturating_sub(n)) };
        // SAFETY: shared memory has one place per accumulator.
        unsafe { sums.add(n as usize).write(sum) };
        n += threads;
    }
    let mut width = accumulators / 2;
    while width > 0 {
        // SAFETY: every thread of the block comes here.
        unsafe { thread::sync_threads() };
        let mut n = own;
        while n < width {
            // SAFETY: places of accumulators. What is read was written before the barrier, by this thread or another,
            // and what is written, another reads after the next barrier at the earliest.
            unsafe {
                let place = sums.add(n as usize);
                place.write(reducer.combine(place.read(), place.add(width as usize).read()));
            }
            n += threads;
        }
        width /= 2;
    }
    if own == 0 {
        // SAFETY: the first accumulator is this thread's, and there is room for the result. No other block is there
        // any more.
        unsafe {
            results.all.write(sums.read());
            results.done.write(0);
        }
    }
}

/// Combines the results of one accumulator: the first of `count` and every [`part_accumulators`]-th after it. Nothing else runs
/// meanwhile, so as many are asked for at once as there are registers for.
///
/// # Safety
///
/// There are `count` results from `at` on.
#[inline(always)]
unsafe fn fold_parts<T: Copy, R: Reducer<T>>(reducer: R, mut at: *const T, count: u32) -> T {
    let step = const { part_accumulators::<T>() };
    let mut left = count.div_ceil(step as u32) as usize;
    let mut sum = reducer.identity();
    macro_rules! groups {
        ($len:expr) => {
            while left >= $len {
                // SAFETY: the last one is there, by the caller.
                let group: [T; $len] = core::array::from_fn(|k| unsafe { *at.add(k * step) });
                // By index, which is unrolled: an iterator over the array would put it in memory.
                for k in 0..$len {
                    sum = reducer.combine(sum, group[k]);
                }
                at = at.wrapping_add($len * step);
                left -= $len;
            }
        };
    }
    if size_of::<T>() <= 4 {
        groups!(16);
    } else if size_of::<T>() <= 8 {
        groups!(8);
    }
    if size_of::<T>() <= 16 {
        groups!(4);
    }
    groups!(1);
    sum
}

/// Combines the values of one accumulator: every `step`-th from `first` on, below `end`.
#[inline(always)]
fn fold_own<T: Copy, R: Reducer<T>>(reducer: R, first: u32, end: u32, step: u32, value: impl Fn(u32) -> T) -> T {
    let mut sum = reducer.identity();
    if first >= end {
        return sum;
    }
    // What is left is counted, not where the next group ends, which may be after the last number of 32 bits.
    let (mut n, mut left) = (first, end - first);
    let group = step * AHEAD as u32;
    // Whole groups, for as long as the last of a group is there, and if there are registers for as many.
    while size_of::<T>() <= 32 && left > group - step {
        let ahead: [T; AHEAD] = core::array::from_fn(|k| value(n + k as u32 * step));
        // By index, which is unrolled: an iterator over the array would put it in memory.
        for k in 0..AHEAD {
            sum = reducer.combine(sum, ahead[k]);
        }
        if left <= group {
            return sum;
        }
        n += group;
        left -= group;
    }
    loop {
        sum = reducer.combine(sum, value(n));
        if left <= step {
            return sum;
        }
        n += step;
        left -= step;
    }
}

/// The same without reading ahead, for objects in a list.
#[inline(always)]
fn fold_one_by_one<T: Copy, R: Reducer<T>>(reducer: R, first: u32, end: u32, step: u32, value: impl Fn(u32) -> T) -> T {
    let mut sum = reducer.identity();
    let mut n = first;
    while n < end {
        sum = reducer.combine(sum, value(n));
        // Numbers of objects have 32 bits, and so may not hold the one after the last.
        match n.checked_add(step) {
            Some(next) => n = next,
            None => break,
        }
    }
    sum
}

/// Combines the `len` values from `first` on, of which each thread of the block finds one at a time; the first
/// warp has the sums of its accumulators.
///
/// # Safety
///
/// Every thread of the block comes here. `value` may be called once for each of the numbers; there is shared
/// memory for one value per thread.
#[inline(always)]
unsafe fn fold_by_block<T: Copy, R: Reducer<T>>(reducer: R, first: u32, len: u32, value: impl Fn(u32) -> T) -> T {
    let (own, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let values = shared::start::<T>();
    let mut sum = reducer.identity();
    let mut done = 0;
    while done < len {
        let here = threads.min(len - done);
        if own < here {
            // SAFETY: shared memory has one place per thread.
            unsafe { values.add(own as usize).write(value(first + done + own)) };
        }
        // SAFETY: every thread of the block comes here.
        unsafe { thread::sync_threads() };
        if own < LANES {
            let mut n = own;
            while n < here {
                // SAFETY: written before the barrier.
                sum = reducer.combine(sum, unsafe { values.add(n as usize).read() });
                n += LANES;
            }
        }
        // SAFETY: every thread of the block comes here.
        unsafe { thread::sync_threads() };
        done += here;
    }
    sum
}

/// Combines the sums of a warp's threads; its first thread has the result. Then the warp may write to its part of
/// shared memory again.
///
/// # Safety
///
/// Every thread of the warp comes here, and there is shared memory for one value per thread.
#[inline(always)]
unsafe fn combine_warp<T: Copy, R: Reducer<T>>(reducer: R, mut sum: T) -> T {
    let lane = thread::thread_idx_x() % LANES;
    let sums = shared::start::<T>();
    let own = thread::thread_idx_x() as usize;
    // SAFETY: shared memory has one place per thread.
    unsafe { sums.add(own).write(sum) };
    let mut width = LANES / 2;
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
    // SAFETY: every thread of the warp comes here. Nobody writes again until the first has read.
    unsafe { thread::sync_warp() };
    sum
}
