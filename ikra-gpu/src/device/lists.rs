//! Sorting of links on the device that holds them: job reordering (RUBY §4.1).
//!
//! Each object of each class has a bit that tells whether it is in the list. Then the objects with set bits are written
//! in order, class by class. So the result is sorted by class and id, whatever the order of the threads. The bits form
//! chunks, one per block of threads; classes do not share chunks.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ikra_core::thread;

use super::shared;
use crate::chunks::{CHUNK, CHUNK_WORDS, PLACE_THREADS, WIDE};

/// The lanes of a warp, and the bits of a word.
const LANES: u32 = 32;
const _: () = assert!(CHUNK_WORDS % LANES == 0 && CHUNK == CHUNK_WORDS * LANES);

/// Sets the bits of the objects that `count` links lead to, and writes 1 to `wrong` if a link leads to no object.
///
/// `tag_bits` is the number of bits for the class in a link of 4 bytes, or [`WIDE`]. `classes` has the first chunk and
/// the number of objects of each class.
///
/// # Safety
///
/// 1. The arrays have this many links and classes, and the chunks have a bit for each object of the classes.
/// 2. Nothing else writes them meanwhile.
#[inline(always)]
pub unsafe fn mark(
    links: *const u8,
    count: u32,
    tag_bits: u32,
    classes: *const [u32; 2],
    class_count: u32,
    sets: *mut u32,
    wrong: *mut u32,
) {
    let n = u64::from(thread::block_idx_x()) * u64::from(thread::block_dim_x()) + u64::from(thread::thread_idx_x());
    if n >= u64::from(count) {
        return;
    }
    let (class, id) = if tag_bits == WIDE {
        // SAFETY: by 1.
        let link = unsafe { links.cast::<u64>().add(n as usize).read() };
        ((link >> 49) as u32, link as u32)
    } else {
        // SAFETY: by 1.
        let link = unsafe { links.cast::<u32>().add(n as usize).read() };
        (link.unbounded_shr(LANES - tag_bits), link & u32::MAX.unbounded_shr(tag_bits))
    };
    // The id 0 stands for no object.
    let index = id.wrapping_sub(1);
    if class < class_count {
        // SAFETY: by 1.
        let [chunk, objects] = unsafe { classes.add(class as usize).read() };
        if index < objects {
            let word = chunk as usize * CHUNK_WORDS as usize + (index / LANES) as usize;
            // SAFETY: by 1 and 2; all threads change it atomically.
            unsafe { AtomicU32::from_ptr(sets.add(word)) }.fetch_or(1 << (index % LANES), Relaxed);
            return;
        }
    }
    // SAFETY: the address of a number; all threads write the same value.
    unsafe { wrong.write_volatile(1) };
}

/// Combines one value per thread of the block, by a function that does not depend on the order. `room` is shared memory
/// for one value per thread. The number of threads is a power of two.
///
/// # Safety
///
/// Every thread of the block calls this, and nothing else uses the room meanwhile.
#[inline(always)]
pub(super) unsafe fn combined(room: *mut u32, value: u32, combine: impl Fn(u32, u32) -> u32) -> u32 {
    let own = thread::thread_idx_x() as usize;
    // SAFETY: the thread's own slot.
    unsafe { room.add(own).write(value) };
    let mut width = thread::block_dim_x() as usize / 2;
    while width > 0 {
        // SAFETY: every thread of the block reaches both barriers. Before the second, threads below `width` read slots
        // from `width` on, which no thread writes, and write their own slots.
        unsafe {
            thread::sync_threads();
            if own < width {
                room.add(own).write(combine(room.add(own).read(), room.add(own + width).read()));
            }
        }
        width /= 2;
    }
    // SAFETY: every thread of the block reaches both barriers; no thread writes between them.
    unsafe {
        thread::sync_threads();
        let all = room.read();
        thread::sync_threads();
        all
    }
}

/// The sum of the values of the threads up to this one.
///
/// # Safety
///
/// As for [`combined`].
#[inline(always)]
pub(super) unsafe fn summed(room: *mut u32, value: u32) -> u32 {
    let own = thread::thread_idx_x() as usize;
    let (mut sum, mut width) = (value, 1);
    while width < thread::block_dim_x() as usize {
        // SAFETY: every thread of the block reaches both barriers. It writes its own slot before the first barrier, and
        // reads another thread's slot between them.
        unsafe {
            room.add(own).write(sum);
            thread::sync_threads();
            if own >= width {
                sum += room.add(own - width).read();
            }
            thread::sync_threads();
        }
        width *= 2;
    }
    sum
}

/// Counts the bits of a chunk, and writes the numbers of the first and the last object in it.
///
/// # Safety
///
/// Each chunk has a block of [`CHUNK_WORDS`] threads. Shared memory has a word per thread, and `counts` has room for
/// three words per chunk.
#[inline(always)]
pub unsafe fn count(sets: *const u32, counts: *mut [u32; 3]) {
    let (chunk, own) = (thread::block_idx_x(), thread::thread_idx_x());
    // SAFETY: within the chunk.
    let word = unsafe { sets.add((chunk * CHUNK_WORDS + own) as usize).read() };
    let room = shared::start();
    let first = if word == 0 { u32::MAX } else { own * LANES + word.trailing_zeros() };
    let last = if word == 0 { 0 } else { own * LANES + LANES - 1 - word.leading_zeros() };
    // SAFETY: every thread of the block reaches this.
    let found = unsafe {
        [
            combined(room, word.count_ones(), |a, b| a + b),
            combined(room, first, |a, b| if b < a { b } else { a }),
            combined(room, last, |a, b| if b > a { b } else { a }),
        ]
    };
    if own == 0 {
        // SAFETY: `counts` has room for it.
        unsafe { counts.add(chunk as usize).write(found) };
    }
}

/// Computes the position of each chunk's objects in the list, which replaces their number in `counts`. The number of a
/// chunk's first object replaces its position in the chunk. Writes the number of objects of each class, the first
/// object, and the last one.
///
/// # Safety
///
/// The kernel runs as one block of [`PLACE_THREADS`] threads, with a word of shared memory per thread. `classes` has a
/// further entry with the number of chunks.
#[inline(always)]
pub unsafe fn place(classes: *const [u32; 2], class_count: u32, counts: *mut [u32; 3], found: *mut [u32; 3]) {
    let own = thread::thread_idx_x();
    let room = shared::start();
    let mut start = 0_u32;
    let mut class = 0;
    while class < class_count {
        // SAFETY: `classes` has a further entry.
        let (from, end) = unsafe { ((*classes.add(class as usize))[0], (*classes.add(class as usize + 1))[0]) };
        let mut all = 0;
        let mut group = from;
        while group < end {
            let chunk = group + own;
            // SAFETY: this chunk exists.
            let [len, first, last] = if chunk < end { unsafe { counts.add(chunk as usize).read() } } else { [0; 3] };
            // SAFETY: every thread of the block reaches this.
            let (sum, of_group) = unsafe { (summed(room, len), combined(room, len, |a, b| a + b)) };
            let base = (chunk.wrapping_sub(from)).wrapping_mul(CHUNK);
            // SAFETY: as above; the class's results have room for them. In each group one chunk is the first with
            // objects, and one is the last. Groups follow one another, with barriers between them.
            unsafe {
                if chunk < end {
                    counts.add(chunk as usize).write([start + all + sum - len, base, 0]);
                }
                if len > 0 && all + sum == len {
                    (*found.add(class as usize))[1] = base + first;
                }
                if len > 0 && sum == of_group {
                    (*found.add(class as usize))[2] = base + last;
                }
            }
            all += of_group;
            group += PLACE_THREADS;
        }
        if own == 0 {
            // SAFETY: the buffer has room for it.
            unsafe { (*found.add(class as usize))[0] = all };
        }
        start = (start + all).next_multiple_of(LANES);
        class += 1;
    }
}

/// Writes the objects whose bits are set in a chunk to their positions.
///
/// # Safety
///
/// As for [`count`]. [`place`] has run before, and `list` has room for all objects.
#[inline(always)]
pub unsafe fn write(sets: *const u32, counts: *const [u32; 3], list: *mut u32) {
    let (chunk, own) = (thread::block_idx_x(), thread::thread_idx_x());
    // SAFETY: within the chunks.
    let (word, [start, first, _]) =
        unsafe { (sets.add((chunk * CHUNK_WORDS + own) as usize).read(), counts.add(chunk as usize).read()) };
    let room = shared::start();
    // SAFETY: every thread of the block reaches this. The shared memory after that has room for two words per thread,
    // and each thread writes its own words before the barrier.
    let ends = unsafe {
        let end = summed(room, word.count_ones());
        let ends = room.add(CHUNK_WORDS as usize);
        room.add(own as usize).write(word);
        ends.add(own as usize).write(end);
        thread::sync_threads();
        ends
    };
    // A warp writes one bitmap word's objects at a time, one per lane.
    let lane = own % LANES;
    let mut n = own - lane;
    while n < own - lane + LANES {
        // SAFETY: within the shared memory, which no thread writes any more.
        let (word, end) = unsafe { (room.add(n as usize).read(), ends.add(n as usize).read()) };
        if word >> lane & 1 == 1 {
            let before = (word >> lane).count_ones();
            // SAFETY: the list has room; each object has its own position.
            unsafe { list.add((start + end - before) as usize).write(first + n * LANES + lane) };
        }
        n += 1;
    }
}
