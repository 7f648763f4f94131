//! Kernels whose results are combined, in the same order as on the host.
//!
//! Objects form chunks, and a chunk has 32 accumulators. Object *n*'s result goes to accumulator *n* mod 32, and the
//! accumulators are combined in a fixed order. On the device each accumulator is a thread.
//!
//! If a kernel does little work, each warp processes a chunk: each thread takes the objects of its accumulator, and
//! neighbouring threads read neighbouring objects. Chunks that take turns are those of neighbouring warps. If a kernel is
//! heavy, each block processes a chunk: each thread calls the kernel for one object, and the first warp combines the results.
//!
//! The block that finishes last combines the results of all chunks, so one kernel does everything. Where there is one block,
//! with a warp for each chunk, these results stay in shared memory.

use core::arch::asm;
use core::array::from_fn;
use core::hint::assert_unchecked;
use core::mem::{MaybeUninit, size_of};

use ikra_core::kernel::Call;
use ikra_core::reduce::{ACCUMULATORS, Chunks, GROUP, Reducer, part_accumulators};
use ikra_core::thread;
use ikra_core::transfer::{OnWire, Transfer};

use super::call;
use super::execute::object;
use super::{shared, warps};

/// Stands for an object that other kernels have not chosen, in a list. No object has this index.
const NO_OBJECT: u32 = u32::MAX;

/// The accumulators of a chunk.
const LANES: u32 = ACCUMULATORS as u32;
const _: () = assert!(LANES == 32, "they are a warp");

/// Objects of a group.
const GROUP_LEN: u32 = GROUP as u32;

/// A reducer without state; the device cannot make others.
#[inline]
fn stateless<R: Copy>() -> R {
    const { assert!(size_of::<R>() == 0, "a reducer with state runs on the host only") };
    // SAFETY: a value of zero bytes; one exists, since `R` is the type of an executor's argument.
    unsafe { MaybeUninit::<R>::uninit().assume_init() }
}

/// The type in which the results of a kernel are transferred.
type WireOf<K, A> = <<K as Call<A>>::Output as Transfer>::Wire;

/// The buffers of a reduction.
#[derive(Clone, Copy, Debug)]
pub struct Results<T> {
    /// The results of the chunks.
    pub chunks: *mut T,
    /// The total result.
    pub all: *mut T,
    /// The number of finished blocks: 0 before and after the kernel.
    pub done: *mut u32,
    /// The first chunk that this launch computes, and the end. If these are not all, it does not combine them; if there are
    /// none, it combines the results of all chunks, with one block.
    pub of: (u32, u32),
}

/// Combines the results of a kernel for the objects `first..end`, or for the objects at these positions of the list.
/// All results have the type in which they are transferred, since the host knows its size.
///
/// # Safety
///
/// 1. The world's tables are filled. At least one object exists, all given objects exist, and no object is in the list
///    twice. The list is null or holds `end` indices, some of which may be [`NO_OBJECT`].
/// 2. `results` has room for one result per chunk and for the total, and `results.done` is 0. `results.of` are chunks of these
///    objects; if there are none, the results of all chunks exist. Shared memory has room for one result per thread, and for
///    one per accumulator of [`part_accumulators`].
/// 3. No other kernel runs in the world. Threads come in whole warps; unless the kernel is heavy, each chunk has a
///    warp, of those that the launch computes.
#[inline(always)]
pub unsafe fn reduce<K, A, R>(first: u32, end: u32, list: *const u32, results: Results<WireOf<K, A>>, args: A)
where
    K: Call<A, Output: Transfer>,
    A: Copy,
    R: Reducer<K::Output>,
{
    // SAFETY: passed on: each object belongs to one thread.
    let call = |index: u32| unsafe { call::call::<K, A>(index, args) }.pack();
    let heavy = const { K::EFFECTS.is_heavy() };
    // SAFETY: passed on.
    unsafe { fold::<_, OnWire<R, K::Output>, 8>(first, end, list, results, heavy, (|_| true, call)) };
}

/// As [`reduce`], for the objects for which another kernel returns `true`. Others count as the identity.
///
/// # Safety
///
/// As for [`reduce`], if one of the kernels is heavy.
#[inline(always)]
pub unsafe fn reduce_chosen<P, B, K, A, R>(
    (_, chooses): (P, B),
    first: u32,
    end: u32,
    list: *const u32,
    results: Results<WireOf<K, A>>,
    args: A,
) where
    P: Call<B, Output = bool>,
    B: Copy,
    K: Call<A, Output: Transfer>,
    A: Copy,
    R: Reducer<K::Output>,
{
    // SAFETY: passed on: each object belongs to one thread.
    let choose = |index: u32| unsafe { call::call::<P, B>(index, chooses) };
    // SAFETY: as above; the other call has ended.
    let call = |index: u32| unsafe { call::call::<K, A>(index, args) }.pack();
    let heavy = const { P::EFFECTS.is_heavy() || K::EFFECTS.is_heavy() };
    // SAFETY: passed on.
    unsafe { fold::<_, OnWire<R, K::Output>, 4>(first, end, list, results, heavy, (choose, call)) };
}

/// Combines the values of `call` for the objects for which `choose` returns `true`. A thread prefetches `AHEAD`
/// values, because memory has a high latency.
///
/// # Safety
///
/// As for [`reduce`]. Both may be called once for each object.
#[inline(always)]
unsafe fn fold<T: Copy, R: Reducer<T>, const AHEAD: usize>(
    first: u32,
    end: u32,
    list: *const u32,
    results: Results<T>,
    is_heavy: bool,
    (choose, call): (impl Fn(u32) -> bool + Copy, impl Fn(u32) -> T + Copy),
) {
    let reducer = stateless::<R>();
    let count = end - first;
    let listed = |n: u32| {
        // SAFETY: within the list.
        let object = unsafe { object(list, first + n) };
        if object != NO_OBJECT && choose(object) { call(object) } else { reducer.identity() }
    };
    let spans = Chunks::of::<T>(count as usize, is_heavy);
    let (span, of_span, chunks) = (spans.span() as u32, spans.of_span() as u32, spans.len() as u32);
    let len = |start: u32| span.min(count - start);
    let (from, until) = results.of;
    // Whether a block has a warp for each chunk.
    let in_block = !is_heavy && until - from == chunks && thread::grid_dim_x() == 1;
    let keep = |number: u32, sum| {
        let to = if chunks == 1 { results.all } else { results.chunks };
        // SAFETY: `results` has room for one result per chunk, and for the total.
        unsafe { to.add(number as usize).write(sum) };
    };
    if is_heavy {
        let mut number = from + thread::block_idx_x();
        while number < until {
            // SAFETY: every thread of the block reaches this; passed on.
            let sum =
                unsafe { combine_warp(reducer, fold_by_block(reducer, number * span, len(number * span), listed)) };
            if thread::thread_idx_x() == 0 {
                keep(number, sum);
            }
            number += thread::grid_dim_x();
        }
    } else {
        let (number, lane) = (from + thread::index_1d() / LANES, thread::thread_idx_x() % LANES);
        let mut sum = reducer.identity();
        if number < until {
            let (start, turn) = (number / of_span * span, number % of_span * GROUP_LEN);
            let places = Places { first: start + turn, len: len(start) - turn, step: of_span * GROUP_LEN, lane };
            // SAFETY: the places are those of objects, which have 32-bit ids, or of a list that is as long at most.
            sum = unsafe {
                if !list.is_null() {
                    fold_own::<_, _, 1>(reducer, places, (|_| true, listed))
                } else {
                    // Checked once, here: a branch for each object would prevent the prefetch of values.
                    let places = Places { first: first + places.first, ..places };
                    // If the values fit into registers.
                    if size_of::<T>() <= 32 {
                        fold_own::<_, _, AHEAD>(reducer, places, (choose, call))
                    } else {
                        fold_own::<_, _, 1>(reducer, places, (choose, call))
                    }
                }
            };
        }
        // SAFETY: every thread of the warp reaches this; passed on.
        sum = unsafe { combine_warp(reducer, sum) };
        if lane == 0 && in_block {
            // SAFETY: shared memory has one slot per thread.
            unsafe { shared::start::<T>().add(thread::thread_idx_x() as usize).write(sum) };
        }
        if lane == 0 && number < until && (chunks == 1 || !in_block) {
            keep(number, sum);
        }
    }
    // SAFETY: every thread of every block reaches this; 2. If one block computes all chunks, the first thread of each warp has
    // left its result in its slot.
    unsafe {
        if chunks > 1 && (until - from == chunks || until == from) && is_last_block(results.done) {
            combine::<T, R>(chunks, results, in_block);
        }
    }
}

/// Whether all other blocks called this before this block; if so, the writes of their threads are visible.
///
/// # Safety
///
/// Every thread of every block calls this, with the address of a number that was 0 before the kernel. Shared memory has
/// room for a number, and its former contents are no longer needed.
#[inline(always)]
pub(super) unsafe fn is_last_block(done: *mut u32) -> bool {
    let is_last = shared::start::<bool>();
    // SAFETY: every thread of the block reaches the barrier.
    unsafe { thread::sync_threads() };
    if thread::grid_dim_x() == 1 {
        // The barrier has ordered all writes.
        return true;
    }
    if thread::thread_idx_x() == 0 {
        let before: u32;
        // SAFETY: an atomic addition. It releases the writes of the block's threads, which the barrier ordered before it, and
        // acquires those of the blocks that have called this before.
        unsafe {
            asm!(
                "atom.acq_rel.gpu.global.add.u32 {0}, [{1}], 1;",
                out(reg32) before,
                in(reg64) done,
                options(nostack, preserves_flags)
            );
        }
        // SAFETY: shared memory has room for it.
        unsafe { is_last.write(before + 1 == thread::grid_dim_x()) };
    }
    // SAFETY: every thread of the block reaches both barriers. The first thread wrote before the first barrier, and no
    // thread writes until all threads have read.
    unsafe {
        thread::sync_threads();
        let is_last = is_last.read();
        thread::sync_threads();
        is_last
    }
}

/// Combines the results of `count` chunks, with the threads of one block. If they are `in_block`, each is in the slot of its
/// warp's first thread.
///
/// # Safety
///
/// Every thread of the block calls this, after a barrier of the block. `count` results exist, the total has room, and shared
/// memory has room for one value per accumulator. If the results are `in_block`, that is 32 at most, and shared memory has one
/// slot per thread.
#[inline(always)]
unsafe fn combine<T: Copy, R: Reducer<T>>(count: u32, results: Results<T>, in_block: bool) {
    let reducer = stateless::<R>();
    let accumulators = const { part_accumulators::<T>() } as u32;
    let (own, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let sums = shared::start::<T>();
    // Accumulators from this one on have no chunk. It is a multiple of a warp, or of all accumulators the half, and so on.
    let used = count.next_power_of_two().clamp(LANES, accumulators);
    let mut n = own;
    while n < used {
        // SAFETY: within the results.
        let mut sum = unsafe {
            match in_block {
                true if n < count => reducer.combine(reducer.identity(), sums.add((n * LANES) as usize).read()),
                true => reducer.identity(),
                false => fold_parts::<T, R>(reducer, results.chunks.add(n as usize), count.saturating_sub(n)),
            }
        };
        // As if the others were combined too.
        let (mut other, mut width) = (reducer.identity(), accumulators);
        while width > used {
            sum = reducer.combine(sum, other);
            other = reducer.combine(other, other);
            width /= 2;
        }
        // SAFETY: whole warps reach the barrier. Shared memory has one slot per accumulator. The first warp alone has read the
        // slots of others, before the barrier.
        unsafe {
            thread::sync_warp();
            sums.add(n as usize).write(sum);
        }
        n += threads;
    }
    // SAFETY: every thread of the block reaches the barrier, or every thread of each warp that of the warp, which alone has
    // written: slot *n* is of thread *n* or *n* plus a multiple of the threads.
    unsafe { if used == LANES { thread::sync_warp() } else { thread::sync_threads() } };
    if own >= LANES {
        return;
    }
    // A thread of the first warp combines slots that are whole warps apart, which no other thread reads or writes.
    let mut width = used / 2;
    while width >= LANES {
        let mut n = own;
        while n < width {
            // SAFETY: slots of accumulators, written by this thread, or before the barrier.
            unsafe {
                let place = sums.add(n as usize);
                place.write(reducer.combine(place.read(), place.add(width as usize).read()));
            }
            n += LANES;
        }
        width /= 2;
    }
    // SAFETY: every thread of the warp reaches this. Its slot was written by itself or before the barrier, and is the one
    // which it may write again.
    let sum = unsafe { combine_warp(reducer, sums.add(own as usize).read()) };
    if own == 0 {
        // SAFETY: the total has room for the result. All other blocks have finished.
        unsafe {
            results.all.write(sum);
            results.done.write(0);
        }
    }
}

/// Combines the results of one accumulator: the first of `count` and every [`part_accumulators`]-th after it. Nothing
/// else runs meanwhile, so the thread prefetches as many results as fit into registers.
///
/// # Safety
///
/// `count` results exist from `at` on.
#[inline(always)]
unsafe fn fold_parts<T: Copy, R: Reducer<T>>(reducer: R, mut at: *const T, count: u32) -> T {
    let step = const { part_accumulators::<T>() };
    let mut left = count.div_ceil(step as u32) as usize;
    let mut sum = reducer.identity();
    macro_rules! groups {
        ($len:expr) => {
            while left >= $len {
                // SAFETY: the group's last result exists, by the caller.
                let group: [T; $len] = from_fn(|k| unsafe { *at.add(k * step) });
                // Indexing, which is unrolled: an iterator over the array would put it in memory.
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

/// The objects of a chunk: a group from `first` on, and another one every `step` objects, up to the end of the span. That is
/// `len` objects from `first` on, at least one.
#[derive(Clone, Copy)]
struct Places {
    first: u32,
    len: u32,
    step: u32,
    /// The accumulator.
    lane: u32,
}

/// Combines the values of one accumulator for the objects that are chosen. `AHEAD` objects are chosen before the first
/// value is needed, so that all loads are on their way.
///
/// # Safety
///
/// `places.first + places.len` is at most [`u32::MAX`].
#[inline(always)]
unsafe fn fold_own<T: Copy, R: Reducer<T>, const AHEAD: usize>(
    reducer: R,
    Places { first, len, step, lane }: Places,
    (choose, value): (impl Fn(u32) -> bool, impl Fn(u32) -> T),
) -> T {
    let value = |is_chosen: bool, n: u32| if is_chosen { value(n) } else { reducer.identity() };
    let mut sum = reducer.identity();
    let rows = AHEAD as u32 * LANES;
    let of_group = GROUP_LEN / rows;
    // Whole groups, and the objects of the last one.
    let (groups, last) = (len / step, (len % step).min(GROUP_LEN));
    // One loop: LLVM unrolls a loop over the rows of a group, after which loads wait for registers.
    for n in 0..groups * of_group + last / rows {
        // The lane is added first: otherwise LLVM computes an object's place twice, and loads a field twice.
        let own = (first + lane + n / of_group * step + n % of_group * rows) as usize;
        // SAFETY: a place of the chunk, which is at most `u32::MAX`. So LLVM knows how far the objects' fields are apart:
        // one address is enough for all.
        let object = |k: usize| unsafe {
            let object = own.unchecked_add(k * ACCUMULATORS);
            assert_unchecked(object <= u32::MAX as usize);
            object as u32
        };
        let chosen: [bool; AHEAD] = from_fn(|k| choose(object(k)));
        let ahead: [T; AHEAD] = from_fn(|k| value(chosen[k], object(k)));
        // Indexing, which is unrolled: an iterator over the array would put it in memory.
        for k in 0..AHEAD {
            sum = reducer.combine(sum, ahead[k]);
        }
    }
    let mut n = last / rows * rows + lane;
    while n < last {
        let object = first + groups * step + n;
        sum = reducer.combine(sum, value(choose(object), object));
        n += LANES;
    }
    sum
}

/// Combines the `len` values from `first` on. Each thread of the block computes one value at a time; the first warp
/// holds the sums of the accumulators.
///
/// # Safety
///
/// Every thread of the block calls this. `value` may be called once for each of the numbers. Shared memory has room for
/// one value per thread.
#[inline(always)]
unsafe fn fold_by_block<T: Copy, R: Reducer<T>>(reducer: R, first: u32, len: u32, value: impl Fn(u32) -> T) -> T {
    let (own, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let values = shared::start::<T>();
    let mut sum = reducer.identity();
    let mut done = 0;
    while done < len {
        let here = threads.min(len - done);
        if own < here {
            // SAFETY: shared memory has one slot per thread.
            unsafe { values.add(own as usize).write(value(first + done + own)) };
        }
        // SAFETY: every thread of the block reaches the barrier.
        unsafe { thread::sync_threads() };
        if own < LANES {
            let mut n = own;
            while n < here {
                // SAFETY: written before the barrier.
                sum = reducer.combine(sum, unsafe { values.add(n as usize).read() });
                n += LANES;
            }
        }
        // SAFETY: every thread of the block reaches the barrier.
        unsafe { thread::sync_threads() };
        done += here;
    }
    sum
}

/// Combines the sums of a warp's threads; its first thread holds the result. Afterwards the warp may write to its part
/// of shared memory again.
///
/// # Safety
///
/// Every thread of the warp calls this, and shared memory has room for one value per thread.
#[inline(always)]
unsafe fn combine_warp<T: Copy, R: Reducer<T>>(reducer: R, mut sum: T) -> T {
    let lane = warps::lane_now();
    let sums = shared::start::<T>();
    let own = thread::thread_idx_x() as usize;
    let mut width = LANES / 2;
    while width > 0 {
        let other = if size_of::<T>() <= warps::MOST_BYTES {
            // SAFETY: every thread of the warp reaches this, and the value is small enough.
            unsafe { warps::further(sum, width) }
        } else {
            // SAFETY: shared memory has one slot per thread, and every thread of the warp reaches the barriers. A slot is
            // written before the first one, and read before the second one.
            unsafe {
                sums.add(own).write(sum);
                thread::sync_warp();
                let other = sums.add(own + if lane < width { width as usize } else { 0 }).read();
                thread::sync_warp();
                other
            }
        };
        if lane < width {
            sum = reducer.combine(sum, other);
        }
        width /= 2;
    }
    sum
}
