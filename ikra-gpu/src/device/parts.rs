//! Kernels for all pairs of few objects: several threads for each object.
//!
//! A thread for each object leaves most of the device idle if there are few. So the threads of a column of the block share an
//! object. They take turns with the others, in order, and call the kernel with sums of -0.0. What each call adds goes to shared
//! memory, where there is a place for each pair of a round. After a barrier, a thread for each number of each object adds
//! these up in the order of the others. So the bits are those of one thread that visits all others.
//!
//! There are two buffers: while some threads still add up one, others fill the other one.

use core::arch::asm;

use ikra_core::kernel::PairCall;
use ikra_core::sums::Sums;
use ikra_core::thread;
use ikra_core::value::Float;

use super::call::{self, Meeting};
use super::execute::object;
use super::pairs::{TILE, load_row, near_row};
use super::shared::Address;
use crate::parts::{buffer_bytes, turns};

/// The rows of the block.
#[inline]
pub(super) fn rows() -> u32 {
    let rows;
    // SAFETY: reads a special register.
    unsafe { asm!("mov.u32 {0}, %ntid.y;", out(reg32) rows, options(pure, nomem, nostack, preserves_flags)) };
    rows
}

/// The row of this thread.
#[inline]
fn row() -> u32 {
    let row;
    // SAFETY: reads a special register.
    unsafe { asm!("mov.u32 {0}, %tid.y;", out(reg32) row, options(pure, nomem, nostack, preserves_flags)) };
    row
}

/// A number of `bytes` bytes in shared memory, as the bits of an `f32` or an `f64`.
///
/// # Safety
///
/// The address is that of such an initialised number.
#[inline]
unsafe fn load(bytes: u32, at: Address) -> u64 {
    // SAFETY: by the caller.
    unsafe { if bytes == 4 { u64::from(at.read()) } else { at.read_wide() } }
}

/// Stores such a number.
///
/// # Safety
///
/// The address is that of such a number in shared memory.
#[inline]
unsafe fn store(bytes: u32, at: Address, bits: u64) {
    // SAFETY: by the caller.
    unsafe { if bytes == 4 { at.write(bits as u32) } else { at.write_wide(bits) } }
}

/// The sum of two such numbers.
#[inline]
fn sum_of(bytes: u32, a: u64, b: u64) -> u64 {
    if bytes == 4 {
        u64::from((f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits())
    } else {
        (f64::from_bits(a) + f64::from_bits(b)).to_bits()
    }
}

/// The bits of a number.
#[inline]
fn bits(number: &Float<'_>) -> u64 {
    match number {
        Float::Single(number) => u64::from(number.to_bits()),
        Float::Double(number) => number.to_bits(),
        Float::Other => 0,
    }
}

/// Replaces a number.
#[inline]
fn replace(number: Float<'_>, bits: u64) {
    match number {
        Float::Single(number) => *number = f32::from_bits(bits as u32),
        Float::Double(number) => *number = f64::from_bits(bits),
        Float::Other => {}
    }
}

/// As [`execute_pairs`](super::pairs::execute_pairs), in a block with several rows. `sums` are the kernel's.
///
/// # Safety
///
/// As for `execute_pairs`, for several rows.
#[inline]
pub(super) unsafe fn execute<K: PairCall<A>, A: Copy>(sums: Sums, first: u32, end: u32, list: *const u32, args: A) {
    let (columns, rows) = (thread::block_dim_x(), rows());
    let (column, row) = (thread::thread_idx_x(), row());
    let n = thread::block_idx_x() * columns + column;
    let has_object = n < end - first;
    let mut meeting = if has_object {
        // SAFETY: the object exists, by the caller. The threads of its column read its values before the first barrier, and one
        // of them stores it behind the last one. No other thread calls the kernel for it, and all that the calls change is
        // `meeting`, since the kernel only adds to its sums.
        unsafe { Meeting::<K>::begin(object(list, first + n)) }
    } else {
        Meeting::none()
    };
    // The number that this thread adds up.
    let (adds, mut sum, mut position) = (has_object && row < sums.count, 0, 0);
    meeting.show_sums(&mut |number| {
        if position == row {
            sum = bits(&number);
        }
        position += 1;
        replace(number, if sums.bytes == 4 { u64::from((-0.0_f32).to_bits()) } else { (-0.0_f64).to_bits() });
    });
    let before = meeting.values();

    let bytes = const { call::tile_row_bytes::<K, A>() } as u32;
    let is_near = bytes > 0;
    let tile_rows = Address::start();
    // In a buffer: for each of the others in a round, for each number, for each object.
    let of_number = columns * sums.bytes;
    let of_other = sums.count * of_number;
    let buffer = buffer_bytes(sums);
    let own = tile_rows.add(TILE * bytes).add(column * sums.bytes);
    let mut at = 0;
    let round = turns(sums) * rows;
    let of_block = row * columns + column;

    let count = call::count::<K::Other>();
    let mut tile = 0;
    while tile < count {
        let len = TILE.min(count - tile);
        if is_near {
            if of_block < len {
                // SAFETY: the object exists, and shared memory has room for one tile row per thread. No thread reads a
                // tile row behind the last barrier.
                unsafe { load_row::<K, A>(tile + of_block, tile_rows.add(of_block * bytes)) };
            }
            // SAFETY: every thread of the block reaches the barrier.
            unsafe { thread::sync_threads() };
        }
        let mut done = 0;
        while done < len {
            let some = round.min(len - done);
            let own_at = own.add(at + row * of_other);
            let mut meet = |turn: u32| {
                let of_round = turn * rows;
                let of_tile = done + row + of_round;
                let near;
                let row_at = if is_near {
                    // SAFETY: the other object's row was written before the barrier.
                    near = unsafe { near_row::<K, A>(tile_rows.add(of_tile * bytes)) };
                    near.as_ptr().cast()
                } else {
                    core::ptr::null()
                };
                // SAFETY: the other object exists, and this is its row or null.
                unsafe { meeting.meet(tile + of_tile, row_at, args) };
                let mut place = own_at.add(of_round * of_other);
                meeting.take_sums(before, &mut |number| {
                    // SAFETY: a place in the buffer for this other object, number and column, which no other thread
                    // accesses before the next barrier.
                    unsafe { store(sums.bytes, place, bits(&number)) };
                    place = place.add(of_number);
                });
            };
            if has_object {
                let mut turn = 0;
                // Without conditions in between, four calls run side by side.
                while (turn + 4) * rows <= some {
                    meet(turn);
                    meet(turn + 1);
                    meet(turn + 2);
                    meet(turn + 3);
                    turn += 4;
                }
                while turn * rows + row < some {
                    meet(turn);
                    turn += 1;
                }
            }
            // SAFETY: every thread of the block reaches the barrier.
            unsafe { thread::sync_threads() };
            if adds {
                // SAFETY: written before the barrier. The buffer is written again behind the next one.
                sum = unsafe { added(sums.bytes, sum, own.add(at + row * of_number), of_other, some) };
            }
            at = buffer - at;
            done += some;
        }
        tile += len;
    }

    // The sums go to the thread that stores the object. No thread reads this buffer behind the last barrier.
    if adds {
        // SAFETY: a place in the buffer.
        unsafe { store(sums.bytes, own.add(at + row * of_number), sum) };
    }
    // SAFETY: every thread of the block reaches the barrier.
    unsafe { thread::sync_threads() };
    if has_object && row == 0 {
        let mut place = own.add(at);
        meeting.show_sums(&mut |number| {
            // SAFETY: the threads of the column have stored the sums, one for each row below their number.
            replace(number, unsafe { load(sums.bytes, place) });
            place = place.add(of_number);
        });
        // SAFETY: the only thread of the column that stores the object, behind the last barrier.
        unsafe { meeting.end() };
    }
}

/// The sum of a number and of those in a buffer, one after the other.
///
/// # Safety
///
/// From this address on, at this distance in bytes, there are so many initialised numbers of `bytes` bytes in shared memory.
#[inline]
unsafe fn added(bytes: u32, mut sum: u64, mut place: Address, distance: u32, count: u32) -> u64 {
    let mut left = count;
    // Loads eight before it adds the first: an array of them would be in local memory.
    while left >= 8 {
        // SAFETY: one of the numbers.
        let at = |n: u32| unsafe { load(bytes, place.add(n * distance)) };
        let (a, b, c, d) = (at(0), at(1), at(2), at(3));
        let (e, f, g, h) = (at(4), at(5), at(6), at(7));
        let plus = |a, b| sum_of(bytes, a, b);
        sum = plus(plus(plus(plus(plus(plus(plus(plus(sum, a), b), c), d), e), f), g), h);
        place = place.add(8 * distance);
        left -= 8;
    }
    for _ in 0..left {
        // SAFETY: one of the numbers.
        sum = sum_of(bytes, sum, unsafe { load(bytes, place) });
        place = place.add(distance);
    }
    sum
}
