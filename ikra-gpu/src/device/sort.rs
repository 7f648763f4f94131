//! A stable sort of pairs by their keys: digit by digit of eight bits, the lowest one first.
//!
//! For each digit, every block counts the digits in its tile of the pairs. A scan of the counts, digit by digit and tile by
//! tile, gives the place of each tile's first pair with each digit. Then every block puts the pairs of its tile in order in
//! shared memory, and from there to their places.

use core::arch::asm;

use ikra_core::rng::Random;
use ikra_core::thread;

use super::lists::summed;
use super::shared::{self, Address};
use super::unrolled::unrolled;
use super::warps::{self, LANES};
use crate::chunks::{DIGITS, SORT_THREADS, sort_items, sort_shared_bytes};

const WARPS: u32 = SORT_THREADS / LANES;
const _: () = assert!(DIGITS == SORT_THREADS, "each thread has a digit");
/// The most pairs of a tile per thread.
const ITEMS: usize = 20;
/// Words of shared memory before a tile's pairs: the counts of each warp, the place of each digit, and room for sums.
const COUNTS: u32 = WARPS * DIGITS;

/// A key that is sorted: a number without a sign.
pub trait Key: Copy + Eq {
    /// The largest one, which goes to places that have no pair.
    const MAX: Self;
    /// The eight bits from `shift` on.
    fn digit(self, shift: u32) -> u32;
    /// Loads a key from shared memory.
    ///
    /// # Safety
    ///
    /// The address of a key there.
    unsafe fn read(at: Address) -> Self;
    /// Stores a key in shared memory.
    ///
    /// # Safety
    ///
    /// The address of a key there.
    unsafe fn write(self, at: Address);
}
impl Key for u32 {
    const MAX: Self = Self::MAX;
    #[inline(always)]
    fn digit(self, shift: u32) -> u32 {
        self >> shift & (DIGITS - 1)
    }
    #[inline]
    unsafe fn read(at: Address) -> Self {
        // SAFETY: by the caller.
        unsafe { at.read() }
    }
    #[inline]
    unsafe fn write(self, at: Address) {
        // SAFETY: by the caller.
        unsafe { at.write(self) };
    }
}
impl Key for u64 {
    const MAX: Self = Self::MAX;
    #[inline(always)]
    fn digit(self, shift: u32) -> u32 {
        (self >> shift) as u32 & (DIGITS - 1)
    }
    #[inline]
    unsafe fn read(at: Address) -> Self {
        // SAFETY: by the caller.
        unsafe { at.read_wide() }
    }
    #[inline]
    unsafe fn write(self, at: Address) {
        // SAFETY: by the caller.
        unsafe { at.write_wide(self) };
    }
}

/// Keys of four bytes, or of eight if the results have so many, in the order of results that are numbers.
///
/// # Safety
///
/// There are `len` results of `bytes` bytes, 1, 2, 4 or 8, and room for as many keys. `flip` has the bits to exchange: the
/// sign of numbers with one.
#[inline]
pub unsafe fn convert(from: *const u8, bytes: u32, flip: u64, len: u32, keys: *mut u8) {
    let n = thread::index_1d() as usize;
    if n >= len as usize {
        return;
    }
    // SAFETY: within the results and the keys; no other thread has this key.
    unsafe {
        let key = match bytes {
            1 => u64::from(from.add(n).read()),
            2 => u64::from(from.cast::<u16>().add(n).read()),
            4 => u64::from(from.cast::<u32>().add(n).read()),
            _ => from.cast::<u64>().add(n).read(),
        } ^ flip;
        if bytes == 8 {
            keys.cast::<u64>().add(n).write(key);
        } else {
            keys.cast::<u32>().add(n).write(key as u32);
        }
    }
}

/// Random keys, the same as on the host.
///
/// # Safety
///
/// There is room for `len` keys.
#[inline]
pub unsafe fn draw(seed: u64, len: u32, keys: *mut u64) {
    let n = thread::index_1d();
    if n < len {
        // SAFETY: within the keys; no other thread has this one.
        unsafe { keys.add(n as usize).write(Random::new(seed, n, u32::MAX).next_u64()) };
    }
}

/// Adds to a number in shared memory.
///
/// # Safety
///
/// The address of a number, which other threads change by this function only.
#[inline(always)]
unsafe fn add(at: Address, by: u32) {
    // SAFETY: an atomic addition to a number in shared memory.
    unsafe {
        asm!("red.relaxed.cta.shared.add.u32 [{0}], {1};", in(reg32) at.number(), in(reg32) by,
            options(nostack, preserves_flags));
    }
}

/// Counts the digits of each tile of keys. The counts of a digit follow one another, those of the first digit come first.
///
/// # Safety
///
/// 1. There are `len` keys, and a block of [`SORT_THREADS`] threads for each tile of them.
/// 2. There is room for a count per digit and block. Shared memory has a word per digit.
#[inline]
pub unsafe fn count<K: Key>(keys: *const K, len: u32, shift: u32, counts: *mut u32) {
    const { assert!(sort_items::<K>() <= ITEMS) };
    let (own, block) = (thread::thread_idx_x(), thread::block_idx_x());
    let (room, address) = (shared::start::<u32>(), Address::start());
    let tile = const { sort_items::<K>() as u32 * SORT_THREADS };
    let first = block * tile + own;
    // SAFETY: every thread of the block reaches the barriers; it has a word of its own before the first and after the last.
    unsafe {
        room.add(own as usize).write(0);
        // All are loaded before the first is counted.
        let mut digits = [DIGITS; ITEMS];
        unrolled!(ITEM below sort_items::<K>() => {
            let place = first.wrapping_add(ITEM as u32 * SORT_THREADS);
            if first <= place && place < len {
                digits[ITEM] = keys.add(place as usize).read().digit(shift);
            }
        });
        thread::sync_threads();
        unrolled!(ITEM below sort_items::<K>() => {
            let digit = digits[ITEM];
            // Often all keys of a warp have the same digit.
            let first_one = warps::from(digit, 0);
            if warps::ballot(digit == first_one) == u32::MAX {
                if warps::lane() == 0 && digit < DIGITS {
                    add(address.add(digit * 4), LANES);
                }
            } else if digit < DIGITS {
                add(address.add(digit * 4), 1);
            }
        });
        thread::sync_threads();
        let count = room.add(own as usize).read();
        counts.add((own * thread::grid_dim_x() + block) as usize).write(count);
    }
}

/// Moves each tile's pairs to their places, in the order of one digit and otherwise in their order.
///
/// # Safety
///
/// 1. As for [`count`]; there are as many values, unless `values` is null: then the value of a pair is its position.
/// 2. `starts` has the sums of the counts before each.
/// 3. There is room for the pairs in other memory. If `keys_to` is null, the keys are not needed any more.
/// 4. Shared memory has [`sort_shared_bytes`].
#[inline]
pub unsafe fn place<K: Key>(
    keys: *const K,
    values: *const u32,
    len: u32,
    shift: u32,
    starts: *const u32,
    keys_to: *mut K,
    values_to: *mut u32,
) {
    const { assert!(sort_shared_bytes::<K>() >= (COUNTS as usize + 2 * DIGITS as usize) * 4) };
    let (own, block) = (thread::thread_idx_x(), thread::block_idx_x());
    let (warp, lane) = (own / LANES, own % LANES);
    let (shared, size, count) = (Address::start(), const { size_of::<K>() as u32 }, const { sort_items::<K>() as u32 });
    // Addresses in shared memory have half the registers of pointers.
    let own_counts = shared.add(warp * DIGITS * 4);
    let of_digit = shared.add(own * 4);
    let bases = shared.add(COUNTS * 4);
    let pairs = shared.add((COUNTS + 2 * DIGITS) * 4);
    let tile = block * count * SORT_THREADS;
    let there = (len - tile).min(count * SORT_THREADS);
    let of_warp = warp * count * LANES + lane;
    let mut kept = [K::MAX; ITEMS];
    let mut places = [0_u32; ITEMS];
    // SAFETY: every thread of the block reaches the barriers, and all threads of a warp the exchanges. Before the first
    // barrier each warp accesses its own counts only, with a barrier of the warp between reads and writes. After that each
    // thread accesses the counts of its own digit, and so on, as said below. `wrapping_add` may leave the pairs, and is used
    // only within them.
    unsafe {
        unrolled!(ITEM below WARPS as usize => {
            own_counts.add((lane + ITEM as u32 * LANES) * 4).write(0);
        });
        let from = keys.wrapping_add(tile as usize + of_warp as usize);
        unrolled!(ITEM below sort_items::<K>() => {
            if of_warp + (ITEM as u32) * LANES < there {
                kept[ITEM] = from.wrapping_add(ITEM * LANES as usize).read();
            }
        });
        thread::sync_warp();
        // The number of earlier pairs of the warp with the same digit. Places without a pair come last.
        unrolled!(ITEM below sort_items::<K>() => {
            let digit = kept[ITEM].digit(shift);
            let same = warps::equals(digit);
            let counted = own_counts.add(digit * 4);
            let before = counted.read();
            let earlier = same & ((1 << lane) - 1);
            places[ITEM] = before + earlier.count_ones();
            thread::sync_warp();
            if earlier == 0 {
                counted.write(before + same.count_ones());
            }
            thread::sync_warp();
        });
        thread::sync_threads();
        // Each thread has a digit: it replaces the count of each warp by the place of the warp's first pair in the tile.
        let mut total = 0;
        unrolled!(ITEM below WARPS as usize => {
            total += of_digit.add(ITEM as u32 * DIGITS * 4).read();
        });
        let sums = shared::start::<u32>().add((COUNTS + DIGITS) as usize);
        let mut start = summed(sums, total) - total;
        let first = starts.add((own * thread::grid_dim_x() + block) as usize).read();
        of_digit.add(COUNTS * 4).write(first.wrapping_sub(start));
        unrolled!(ITEM below WARPS as usize => {
            let of_warp = of_digit.add(ITEM as u32 * DIGITS * 4);
            let count = of_warp.read();
            of_warp.write(start);
            start += count;
        });
        thread::sync_threads();
        // From here on nothing writes counts and bases. Each pair has its own place in the tile.
        unrolled!(ITEM below sort_items::<K>() => {
            places[ITEM] += own_counts.add(kept[ITEM].digit(shift) * 4).read();
            kept[ITEM].write(pairs.add(places[ITEM] * size));
        });
        thread::sync_threads();
        // Each thread takes pairs in the order of the tile: neighbours mostly go to neighbouring places. All are loaded
        // before one is stored.
        let mut goals = [0_u32; ITEMS];
        unrolled!(ITEM below sort_items::<K>() => {
            kept[ITEM] = K::read(pairs.add((own + ITEM as u32 * SORT_THREADS) * size));
        });
        unrolled!(ITEM below sort_items::<K>() => {
            let base = bases.add(kept[ITEM].digit(shift) * 4).read();
            goals[ITEM] = base.wrapping_add(own + ITEM as u32 * SORT_THREADS);
        });
        if !keys_to.is_null() {
            unrolled!(ITEM below sort_items::<K>() => {
                if own + (ITEM as u32) * SORT_THREADS < there {
                    keys_to.add(goals[ITEM] as usize).write(kept[ITEM]);
                }
            });
        }
        let mut moved = [0_u32; ITEMS];
        let from = values.wrapping_add(tile as usize + of_warp as usize);
        unrolled!(ITEM below sort_items::<K>() => {
            let n = of_warp + ITEM as u32 * LANES;
            moved[ITEM] = tile + n;
            if n < there && !values.is_null() {
                moved[ITEM] = from.wrapping_add(ITEM * LANES as usize).read();
            }
        });
        // The keys of the tile are not needed any more.
        thread::sync_threads();
        unrolled!(ITEM below sort_items::<K>() => {
            pairs.add(places[ITEM] * 4).write(moved[ITEM]);
        });
        thread::sync_threads();
        unrolled!(ITEM below sort_items::<K>() => {
            moved[ITEM] = pairs.add((own + ITEM as u32 * SORT_THREADS) * 4).read();
        });
        unrolled!(ITEM below sort_items::<K>() => {
            if own + (ITEM as u32) * SORT_THREADS < there {
                values_to.add(goals[ITEM] as usize).write(moved[ITEM]);
            }
        });
    }
}

/// Replaces positions by the objects at these positions of a list, the first of which is at `first`; or adds `first` to each,
/// if the list is null. Unless `moved` is null, writes 1 there if some object's index is not its position.
///
/// # Safety
///
/// There are `len` positions, and the list has so many objects from `first` on. `moved` is null or the address of a number.
#[inline]
pub unsafe fn find(places: *mut u32, len: u32, list: *const u32, first: u32, moved: *mut u32) {
    let n = thread::index_1d();
    if n < len {
        // SAFETY: within the positions; no other thread has this one.
        let place = first + unsafe { places.add(n as usize).read() };
        // SAFETY: within the list.
        let object = if list.is_null() { place } else { unsafe { list.add(place as usize).read() } };
        // SAFETY: the position that was read.
        unsafe { places.add(n as usize).write(object) };
        if !moved.is_null() && object != n {
            // SAFETY: the address of a number; all threads write the same value.
            unsafe { moved.write_volatile(1) };
        }
    }
}
