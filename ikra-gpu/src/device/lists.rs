//! Sorting of links on the device that holds them: job reordering (RUBY §4.1).
//!
//! Each object of each class has a bit that tells whether it is in the list. Then the objects with set bits are written
//! in order, class by class. So the result is sorted by class and id, whatever the order of the threads. The bits form
//! chunks, one per block of threads; classes do not share chunks.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ikra_core::thread;

use super::execute::object;
use super::warps::LANES;
use super::{shared, warps};
use crate::chunks::{CHUNK, CHUNK_WORDS, PLACE_THREADS, WIDE};

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
#[inline]
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
/// for one value per warp. `none` leaves every value as it is.
///
/// # Safety
///
/// Every thread of the block calls this, in whole warps. Nothing else uses the room meanwhile.
#[inline(always)]
pub(super) unsafe fn combined(room: *mut u32, value: u32, none: u32, combine: impl Fn(u32, u32) -> u32) -> u32 {
    let (own, warps) = (thread::thread_idx_x(), thread::block_dim_x() / LANES);
    // SAFETY: every thread of the block reaches the barriers, and all lanes the exchanges. Each warp writes its own slot
    // between the first two, and all read between the last two.
    unsafe {
        let of_warp = warps::combined(value, &combine);
        thread::sync_threads();
        if own.is_multiple_of(LANES) {
            room.add((own / LANES) as usize).write(of_warp);
        }
        thread::sync_threads();
        let lane = own % LANES;
        let of_warps = if lane < warps { room.add(lane as usize).read() } else { none };
        let all = warps::combined(of_warps, &combine);
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
    let (own, warps) = (thread::thread_idx_x(), thread::block_dim_x() / LANES);
    // SAFETY: as in `combined`.
    unsafe {
        let of_warp = warps::summed(value);
        thread::sync_threads();
        if own % LANES == LANES - 1 {
            room.add((own / LANES) as usize).write(of_warp);
        }
        thread::sync_threads();
        let lane = own % LANES;
        let of_warps = warps::summed(if lane < warps { room.add(lane as usize).read() } else { 0 });
        let before = warps::from(of_warps, (own / LANES).wrapping_sub(1) % LANES);
        thread::sync_threads();
        if own < LANES { of_warp } else { before.wrapping_add(of_warp) }
    }
}

/// Counts the bits of a chunk, and writes the numbers of the first and the last object in it. Before that, it sets the bits
/// below `all` and no others, unless that is 0, and clears the bits that are set in `cleared`.
///
/// # Safety
///
/// Each chunk has a block of [`CHUNK_WORDS`] threads. Shared memory has a word per thread, and `counts` has room for
/// three words per chunk. `cleared` has `words` words.
#[inline]
pub unsafe fn count(sets: *mut u32, all: u32, cleared: *const u32, words: u32, counts: *mut [u32; 3]) {
    let own = thread::block_idx_x() * CHUNK_WORDS + thread::thread_idx_x();
    let mut word = match (all, all.saturating_sub(own * LANES)) {
        // SAFETY: within the chunk.
        (0, _) => unsafe { sets.add(own as usize).read() },
        (_, 0) => 0,
        (_, left) => u32::MAX >> (LANES - left.min(LANES)),
    };
    if own < words {
        // SAFETY: within the words.
        word &= !unsafe { cleared.add(own as usize).read() };
    }
    if own < words || all > 0 {
        // SAFETY: within the chunk; no other thread has this word.
        unsafe { sets.add(own as usize).write(word) };
    }
    // SAFETY: every thread of the block reaches this; passed on.
    unsafe { put_counts(word, counts) }
}

/// As [`count`], for objects for which a kernel returned `true`: position *n* of a chunk has the flag of number *n*. Also
/// writes the bits of the chunk.
///
/// # Safety
///
/// As for [`count`]. There are `len` flags, each 0 or 1, which start at a multiple of 16; the chunks hold that many bits.
#[inline]
pub unsafe fn choose(flags: *const u8, len: u32, sets: *mut u32, counts: *mut [u32; 3]) {
    let number = thread::block_idx_x() * CHUNK_WORDS + thread::thread_idx_x();
    let first = number * LANES;
    let mut word = 0;
    if len >= LANES && first <= len - LANES {
        // Eight flags at a time: the product has them as bits at its top.
        let mut part = 0;
        while part < LANES / 8 {
            // SAFETY: these flags exist, and start at a multiple of 8.
            let eight = unsafe { flags.add((first + part * 8) as usize).cast::<u64>().read() };
            word |= ((eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32) << (part * 8);
            part += 1;
        }
    } else {
        let mut n = first;
        while n < len {
            // SAFETY: this flag exists.
            word |= u32::from(unsafe { flags.add(n as usize).read() }) << (n - first);
            n += 1;
        }
    }
    // SAFETY: within the chunk.
    unsafe { sets.add(number as usize).write(word) };
    // SAFETY: every thread of the block reaches this; passed on.
    unsafe { put_counts(word, counts) }
}

/// Writes the number of bits in a block's words, and those of the first and the last one.
///
/// # Safety
///
/// As for [`count`], of which every thread of the block calls this with its word.
#[inline(always)]
unsafe fn put_counts(word: u32, counts: *mut [u32; 3]) {
    let (chunk, own) = (thread::block_idx_x(), thread::thread_idx_x());
    let room = shared::start();
    let first = if word == 0 { u32::MAX } else { own * LANES + word.trailing_zeros() };
    let last = if word == 0 { 0 } else { own * LANES + LANES - 1 - word.leading_zeros() };
    // SAFETY: every thread of the block reaches this.
    let found = unsafe {
        [
            combined(room, word.count_ones(), 0, |a, b| a + b),
            combined(room, first, u32::MAX, |a, b| if b < a { b } else { a }),
            combined(room, last, 0, |a, b| if b > a { b } else { a }),
        ]
    };
    if own == 0 {
        // SAFETY: `counts` has room for it.
        unsafe { counts.add(chunk as usize).write(found) };
    }
}

/// Computes the position of each chunk's objects in the list, which replaces their number in `counts`. The number of a
/// chunk's first object replaces its position in the chunk. Writes the number of objects of each class, the first
/// object, and the last one. If `classes` is null, there is one class of so many chunks.
///
/// # Safety
///
/// The kernel runs as one block of [`PLACE_THREADS`] threads, with a word of shared memory per thread. `classes` has a
/// further entry with the number of chunks, unless it is null.
#[inline]
pub unsafe fn place(classes: *const [u32; 2], class_count: u32, counts: *mut [u32; 3], found: *mut [u32; 3]) {
    let (class_count, chunks) = if classes.is_null() { (1, class_count) } else { (class_count, 0) };
    let own = thread::thread_idx_x();
    let room = shared::start();
    let mut start = 0_u32;
    let mut class = 0;
    while class < class_count {
        let (from, end) = match classes.is_null() {
            true => (0, chunks),
            // SAFETY: `classes` has a further entry.
            false => unsafe { ((*classes.add(class as usize))[0], (*classes.add(class as usize + 1))[0]) },
        };
        let mut all = 0;
        let mut group = from;
        while group < end {
            let chunk = group + own;
            // SAFETY: this chunk exists.
            let [len, first, last] = if chunk < end { unsafe { counts.add(chunk as usize).read() } } else { [0; 3] };
            // SAFETY: every thread of the block reaches this.
            let (sum, of_group) = unsafe { (summed(room, len), combined(room, len, 0, |a, b| a + b)) };
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

/// Writes the objects whose bits are set in a chunk to their positions. Bit *n* stands for the object at position `first`
/// plus *n* of another list, `from`; or for this position itself, if that is null. Writes the positions below `slots` whose
/// bits are not set to the list `free`.
///
/// # Safety
///
/// As for [`count`]. [`place`] has run before if `is_placed` is 1; otherwise there is one class, of at most [`CHUNK_WORDS`]
/// chunks. `list` has room for all objects. The other list is not written, and has an object for each bit that is set. Unless
/// `slots` is 0, there is one class, `first` is 0, and `free` has room for the others.
#[inline]
pub unsafe fn write(
    sets: *const u32,
    counts: *const [u32; 3],
    from: *const u32,
    first: u32,
    list: *mut u32,
    free: *mut u32,
    slots: u32,
    is_placed: u32,
) {
    let (chunk, own) = (thread::block_idx_x(), thread::thread_idx_x());
    // SAFETY: within the chunks.
    let word = unsafe { sets.add((chunk * CHUNK_WORDS + own) as usize).read() };
    let (start, of_chunk) = if is_placed == 1 {
        // SAFETY: within the chunks.
        let [start, of_chunk, _] = unsafe { counts.add(chunk as usize).read() };
        (start, of_chunk)
    } else {
        let earlier = (own < chunk).then_some(own as usize);
        // SAFETY: within the chunks; a thread for each earlier one.
        let before = earlier.map_or(0, |n| unsafe { counts.add(n).read() }[0]);
        // SAFETY: every thread of the block reaches this.
        (unsafe { combined(shared::start(), before, 0, |a, b| a + b) }, chunk * CHUNK)
    };
    let pairs = shared::start::<u64>();
    let lane = own % LANES;
    // SAFETY: every thread of the block reaches this. The shared memory has room for two words per thread. After the sum,
    // each thread writes its own pair of them, and its warp reads those of its threads.
    unsafe {
        let end = summed(shared::start(), word.count_ones());
        pairs.add(own as usize).write(u64::from(end) << 32 | u64::from(word));
        thread::sync_warp();
    }
    // A warp writes one bitmap word's objects at a time, one per lane.
    let of_warp = own - lane;
    macro_rules! put {
        ($place:ident => $object:expr) => {
            let mut $place = first + of_chunk + of_warp * LANES + lane;
            for n in 0..LANES {
                // SAFETY: within the shared memory, which no thread writes any more.
                let pair = unsafe { pairs.add((of_warp + n) as usize).read() };
                let left = (pair as u32) >> lane;
                let at = start + (pair >> 32) as u32 - left.count_ones();
                if left & 1 == 1 {
                    // SAFETY: the list has room; each object has its own position.
                    unsafe { list.add(at as usize).write($object) };
                } else if $place < slots {
                    // SAFETY: as above; `at` bits are set before this one.
                    unsafe { free.add(($place - at) as usize).write($place) };
                }
                $place = $place.wrapping_add(LANES);
            }
        };
    }
    if from.is_null() {
        put!(place => place);
    } else {
        // SAFETY: the other list has an object at this position.
        put!(place => unsafe { from.add(place as usize).read() });
    }
}

/// Writes objects to their places among all objects `start..last`, or those at these positions of the list `all`. The chosen
/// ones are `first..end`, or those at these positions of a list.
///
/// # Safety
///
/// Each has a thread. Lists are null or have so many objects, in their order. The chosen objects are among all, for which
/// there is room.
#[inline]
pub unsafe fn mask(chosen: *const u32, first: u32, end: u32, all: *const u32, start: u32, last: u32, masked: *mut u32) {
    let n = thread::index_1d();
    if n >= end - first {
        return;
    }
    // SAFETY: within the chosen objects.
    let object = unsafe { object(chosen, first + n) };
    let (mut low, mut high) = (start, last);
    if all.is_null() {
        low = object;
    } else {
        while low < high {
            let middle = low + (high - low) / 2;
            // SAFETY: within the list.
            if unsafe { all.add(middle as usize).read() } < object {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
    }
    // SAFETY: the object is among all, and no other thread has its place.
    unsafe { masked.add((low - start) as usize).write(object) };
}
