//! Objects that a kernel made and removed, when it has ended: they are counted, and links to removed ones become empty.
//!
//! Each maker has its own rows in the nursery, and a count of them. So the order of the new objects is that of their makers,
//! then of the calls, whatever the order of the threads. A scan of the counts gives each maker the number of objects that
//! earlier ones made.

use core::array::from_fn;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ikra_core::thread;

use super::lists::{combined, summed};
use super::reduce::is_last_block;
use super::shared;
use crate::chunks::{LINKS_PER_THREAD, LIVES_THREADS, MAKERS, MAKERS_PER_THREAD};

/// This thread's number in the grid.
#[inline]
pub(super) fn own() -> u32 {
    thread::block_idx_x() * thread::block_dim_x() + thread::thread_idx_x()
}

/// An address as a pointer.
#[inline]
pub(super) fn pointer<T>(address: u64) -> *mut T {
    ptr::with_exposed_provenance_mut(address as usize)
}

/// The counts of this thread's makers, one byte each, first the lowest.
///
/// # Safety
///
/// There are `makers` counts at a multiple of 16, and zeros up to the next multiple of 16.
#[inline(always)]
unsafe fn counts(counts: *const u8, makers: u32) -> [u64; 2] {
    const { assert!(MAKERS_PER_THREAD == 16, "the bytes of two numbers") };
    /// Two numbers, which are loaded at once.
    #[derive(Clone, Copy)]
    #[repr(C, align(16))]
    struct Both([u64; 2]);
    let first = own() * MAKERS_PER_THREAD;
    if first >= makers {
        return [0; 2];
    }
    // SAFETY: by the caller.
    unsafe { counts.add(first as usize).cast::<Both>().read().0 }
}

/// The sum of the bytes of two numbers.
#[inline(always)]
fn sum_of_bytes(all: [u64; 2]) -> u32 {
    let halves = |bytes: u64| (bytes & 0x00ff_00ff_00ff_00ff) + (bytes >> 8 & 0x00ff_00ff_00ff_00ff);
    // Sixteen bytes add up to less than 2^16.
    ((halves(all[0]) + halves(all[1])).wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32
}

/// Writes for each block the number of objects that makers of earlier blocks made, and the number of all to place `result` of
/// `numbers`, unless `all` is null. Adds the number of marks to the first of them, unless `marks` is null. Then copies them to
/// `to`, `count` of them.
///
/// # Safety
///
/// There are `makers` counts at a multiple of 16, zeros up to the next multiple, a block for each [`MAKERS`] of them, and room
/// for a sum per block. `done` is 0. There is a bit for each maker, and zeros in the rest of the last word. Nothing else
/// writes the numbers. Shared memory has a word per thread.
#[inline]
pub unsafe fn sum(
    all: *const u8,
    makers: u32,
    sums: *mut u32,
    numbers: *mut u32,
    result: u32,
    done: *mut u32,
    marks: *const u32,
    to: *mut u32,
    count: u32,
) {
    let (thread, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    if !marks.is_null() {
        const { assert!(MAKERS.is_multiple_of(32) && MAKERS / 32 <= LIVES_THREADS, "a thread for each word") };
        let word = thread::block_idx_x() * (MAKERS / 32) + thread;
        let is_own = thread < MAKERS / 32 && word < makers.div_ceil(32);
        // SAFETY: within the words.
        let count = if is_own { unsafe { marks.add(word as usize).read() }.count_ones() } else { 0 };
        // SAFETY: every thread of the block reaches this.
        let sum = unsafe { combined(shared::start(), count, 0, |a, b| a + b) };
        if thread == 0 && sum > 0 {
            // SAFETY: the address of a number, which all threads change atomically.
            unsafe { AtomicU32::from_ptr(numbers) }.fetch_add(sum, Relaxed);
        }
    }
    if !all.is_null() {
        // SAFETY: by the caller.
        let own = sum_of_bytes(unsafe { counts(all, makers) });
        // SAFETY: every thread of the block reaches this.
        let sum = unsafe { combined(shared::start(), own, 0, |a, b| a + b) };
        if thread == 0 {
            // SAFETY: there is room for it.
            unsafe { sums.add(thread::block_idx_x() as usize).write(sum) };
        }
    }
    // SAFETY: every thread of the block reaches this; the address of a number that is 0 at first.
    if !unsafe { is_last_block(done) } {
        return;
    }
    if !all.is_null() {
        // SAFETY: all other blocks have written their sums, and there is room for the result.
        unsafe { add_up(sums, numbers.add(result as usize)) };
    }
    // SAFETY: every thread of the block reaches this.
    unsafe { thread::sync_threads() };
    let mut n = thread;
    while n < count {
        // SAFETY: within the numbers, which this block or earlier ones wrote last.
        unsafe { to.add(n as usize).write(numbers.add(n as usize).read_volatile()) };
        n += threads;
    }
}

/// Replaces the sums of blocks by the sum of those before each, by one block. Writes the sum of all.
///
/// # Safety
///
/// There is a sum for each block of the grid. Shared memory has a word per thread.
#[inline]
unsafe fn add_up(sums: *mut u32, result: *mut u32) {
    let (thread, threads, blocks) = (thread::thread_idx_x(), thread::block_dim_x(), thread::grid_dim_x());
    // Each thread takes consecutive blocks.
    let per_thread = blocks.div_ceil(threads);
    let first = (thread * per_thread).min(blocks);
    let end = (first + per_thread).min(blocks);
    let mut own = 0;
    for n in first..end {
        // SAFETY: within the sums, which all other blocks have written.
        own += unsafe { sums.add(n as usize).read() };
    }
    // SAFETY: every thread of the block reaches this.
    let up_to = unsafe { summed(shared::start(), own) };
    let mut before = up_to - own;
    for n in first..end {
        // SAFETY: as above; no other thread has these sums.
        unsafe {
            let sum = sums.add(n as usize).read();
            sums.add(n as usize).write(before);
            before += sum;
        }
    }
    if thread == threads - 1 {
        // SAFETY: there is room for the result.
        unsafe { result.write(up_to) };
    }
}

/// Writes the numbers of the rows in the order of makers and calls, and for each maker the number of objects that earlier
/// makers made, unless `ranks` is null.
///
/// # Safety
///
/// As for [`sum`], after it; there is room for a number per object and a rank per maker.
#[inline]
pub unsafe fn rank(all: *const u8, makers: u32, per_maker: u32, sums: *const u32, numbers: *mut u32, ranks: *mut u32) {
    const { assert!(MAKERS.is_multiple_of(MAKERS_PER_THREAD)) };
    // SAFETY: by the caller.
    let [mut left, mut then] = unsafe { counts(all, makers) };
    let own_sum = sum_of_bytes([left, then]);
    // SAFETY: every thread of the block reaches this.
    let end = unsafe { summed(shared::start(), own_sum) };
    // SAFETY: there is a sum per block.
    let mut rank = unsafe { sums.add(thread::block_idx_x() as usize).read() } + end - own_sum;
    let first = own() * MAKERS_PER_THREAD;
    let mut n = 0;
    while n < MAKERS_PER_THREAD {
        let (maker, count) = (first + n, left as u32 & 0xff);
        (left, then) = (left >> 8 | then << 56, then >> 8);
        // Nobody asks for the others' ranks.
        if count > 0 && !ranks.is_null() {
            // SAFETY: there is room for a rank per maker.
            unsafe { ranks.add(maker as usize).write(rank) };
        }
        for made in 0..count {
            // SAFETY: there is room for a number per object.
            unsafe { numbers.add((rank + made) as usize).write(maker * per_maker + made) };
        }
        rank += count;
        n += 1;
    }
}

/// Writes the bits below `slots` that are not set.
///
/// # Safety
///
/// There are bits for `slots` indices, and there is room for the result, which may be in their place.
#[inline]
pub unsafe fn invert(bits: *const u32, slots: u32, result: *mut u32) {
    let n = own();
    if n < slots.div_ceil(32) {
        let within = u32::MAX >> (32 - (slots - n * 32).min(32));
        // SAFETY: within the words.
        unsafe { result.add(n as usize).write(!bits.add(n as usize).read() & within) };
    }
}

/// Replaces the links of a column, four per thread, so that four loads of what replaces them are on their way at the same
/// time. An empty link stays empty.
///
/// # Safety
///
/// The column has `len` links, and there are threads for it.
#[inline]
unsafe fn replace(column: *mut u32, len: u32, replaced: impl Fn(u32) -> u32) {
    let step = thread::block_dim_x() as usize;
    let first = thread::block_idx_x() as usize * step * LINKS_PER_THREAD + thread::thread_idx_x() as usize;
    // SAFETY: within the column; no other thread has these links.
    let place = |n: usize| (first + n * step < len as usize).then(|| unsafe { column.add(first + n * step) });
    // SAFETY: as above.
    let old: [u32; LINKS_PER_THREAD] = from_fn(|n| place(n).map_or(0, |place| unsafe { place.read() }));
    let new: [u32; LINKS_PER_THREAD] = from_fn(|n| replaced(old[n]));
    for n in 0..LINKS_PER_THREAD {
        if let Some(place) = place(n).filter(|_| new[n] != old[n]) {
            // SAFETY: as above.
            unsafe { place.write(new[n]) };
        }
    }
}

/// Makes the links of a column empty that name a removed object, one bit per index.
///
/// # Safety
///
/// The column has `len` links, each 0 or the number of an object, and there are threads for it.
/// There are bits for `slots` indices.
#[inline]
pub unsafe fn unlink(column: *mut u32, len: u32, removed: *const u32, slots: u32) {
    let replaced = |link: u32| {
        let index = link.wrapping_sub(1);
        // SAFETY: within the bits.
        let is_removed = index < slots && unsafe { removed.add((index / 32) as usize).read() } >> (index % 32) & 1 != 0;
        if is_removed { 0 } else { link }
    };
    // SAFETY: the column is the caller's, and so are the threads.
    unsafe { replace(column, len, replaced) }
}

/// Replaces the links of a column by the new ids of their objects, 0 for those that were removed. If links cannot be 0, a
/// removed object has the only ones to removed objects: they stay, and nothing reads them.
///
/// # Safety
///
/// The column has `len` links, each 0 or the number of an object, and there are threads for it.
/// There are ids for `slots` indices. If `empties` is 0, the links cannot be 0.
#[inline]
pub unsafe fn relink(column: *mut u32, len: u32, ids: *const u32, slots: u32, empties: u32) {
    let replaced = |link: u32| {
        let index = link.wrapping_sub(1);
        if index >= slots {
            return link;
        }
        // SAFETY: within the ids.
        let id = unsafe { ids.add(index as usize).read() };
        if id != 0 || empties != 0 { id } else { link }
    };
    // SAFETY: the column is the caller's, and so are the threads.
    unsafe { replace(column, len, replaced) }
}

/// Copies the elements of some columns whose indices are in a list, in this order, and writes their new ids at these indices.
///
/// # Safety
///
/// 1. The list has `len` indices of elements of each column; there is room for these in other memory.
/// 2. A column is described by its address, that of the other memory, and the size of an element. Both start at multiples
///    of 16.
/// 3. `ids` is null, or has room for an id at each index.
#[inline]
pub unsafe fn gather(columns: *const [u64; 3], count: u32, list: *const u32, len: u32, ids: *mut u32) {
    /// Stands for no object.
    const NONE: u32 = u32::MAX;

    /// Copies elements for the objects with these indices, the first of which goes to index `first`, the others `step`
    /// indices further each. All are loaded before one is stored.
    ///
    /// # Safety
    ///
    /// The elements at these indices consist of `parts` parts of this type.
    #[inline(always)]
    unsafe fn copy<T: Copy + Default>(
        (from, to): (u64, u64),
        (a, b, c, d): (u32, u32, u32, u32),
        (first, step): (u32, u32),
        parts: usize,
    ) {
        for part in 0..parts {
            let load = |old: u32| match old {
                NONE => T::default(),
                // SAFETY: by the caller. Elements start at multiples of their parts' size.
                old => unsafe { pointer::<T>(from).add(old as usize * parts + part).read() },
            };
            let store = |value: T, old: u32, n: u32| {
                if old != NONE {
                    // SAFETY: as above.
                    unsafe { pointer::<T>(to).add((first + n * step) as usize * parts + part).write(value) };
                }
            };
            let (of_a, of_b, of_c, of_d) = (load(a), load(b), load(c), load(d));
            store(of_a, a, 0);
            store(of_b, b, 1);
            store(of_c, c, 2);
            store(of_d, d, 3);
        }
    }
    let step = thread::block_dim_x();
    let first = thread::block_idx_x() * step * 4 + thread::thread_idx_x();
    let old = |n: u32| match first + n * step {
        // SAFETY: within the list.
        new if new < len => unsafe { list.add(new as usize).read() },
        _ => NONE,
    };
    let (old, new) = ((old(0), old(1), old(2), old(3)), (first, step));
    let mut column = 0;
    while column < count {
        // SAFETY: within the table.
        let [from, to, size] = unsafe { columns.add(column as usize).read() };
        let (of, size) = ((from, to), size as usize);
        // SAFETY: by 1 and 2.
        unsafe {
            match size {
                1 => copy::<u8>(of, old, new, 1),
                2 => copy::<u16>(of, old, new, 1),
                4 => copy::<u32>(of, old, new, 1),
                8 => copy::<u64>(of, old, new, 1),
                _ if size.is_multiple_of(8) => copy::<u64>(of, old, new, size / 8),
                _ if size.is_multiple_of(4) => copy::<u32>(of, old, new, size / 4),
                _ => copy::<u8>(of, old, new, size),
            }
        }
        column += 1;
    }
    let store_id = |old: u32, n: u32| {
        if !ids.is_null() && old != NONE {
            // SAFETY: by 3.
            unsafe { ids.add(old as usize).write(first + n * step + 1) };
        }
    };
    store_id(old.0, 0);
    store_id(old.1, 1);
    store_id(old.2, 2);
    store_id(old.3, 3);
}
