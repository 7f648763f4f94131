//! Kernels for all pairs of objects.
//!
//! A block has one thread per object. It copies the rows of a tile of other objects to shared memory; then each thread
//! visits them in order. Without rows, each thread reads the others from their columns.

use ikra_core::info::ClassInfo;
use ikra_core::kernel::PairCall;
use ikra_core::sums::Sums;
use ikra_core::thread;

use super::call::{self, Meeting};
use super::execute::object;
use super::{parts, shared};
use crate::parts::PAIR_THREADS;

/// The number of other objects in a tile, and of threads in a block.
pub(super) const TILE: u32 = PAIR_THREADS as u32;
/// The number of others between two checks of the loop's end. Their rows are loaded together: as many as fit into
/// registers without reducing the number of concurrent blocks.
const fn unroll(tile_row_bytes: usize) -> u32 {
    if tile_row_bytes <= 16 { 8 } else { 4 }
}

/// Repeats code for 0 to 7, each with the number as a constant. (If the body is large, the compiler does not unroll
/// such loops, and then puts the rows in local memory.)
macro_rules! unrolled {
    ($n:ident, $body:block) => {
        unrolled!(@each $n, $body, 0 1 2 3 4 5 6 7)
    };
    (@each $n:ident, $body:block, $($k:literal)*) => {
        $({
            let $n = $k;
            $body
        })*
    };
}

/// Calls a kernel for pairs of each object and all others. The objects are `first..end`, or the objects at these
/// positions of the list.
///
/// # Safety
///
/// 1. The world's tables are filled, the objects exist, and no object is in the list twice.
/// 2. No other kernel runs in the world.
/// 3. A block has [`PAIR_THREADS`] threads in one row, and shared memory for one tile row per thread. The grid has at least one
///    thread per object. Or the block has these threads in several rows, and the kernel has [`Sums`]: at most
///    [`MOST_SUMS`](crate::parts::MOST_SUMS), and no more than the block has rows. Then the grid has at least one column of
///    threads per object, and the block has shared memory for two buffers as well, behind the tile rows.
#[inline(always)]
pub unsafe fn execute_pairs<K: PairCall<A>, A: Copy>(first: u32, end: u32, list: *const u32, args: A) {
    if let Some(sums) = Sums::of::<K>()
        && parts::rows() > 1
    {
        // SAFETY: by 3., for several rows.
        return unsafe { parts::execute::<K, A>(sums, first, end, list, args) };
    }
    let n = thread::block_idx_x() * TILE + thread::thread_idx_x();
    let has_object = n < end - first;
    let mut meeting = if has_object {
        // SAFETY: passed on.
        unsafe { Meeting::<K>::begin(object(list, first + n)) }
    } else {
        Meeting::none()
    };
    // SAFETY: passed on.
    unsafe { meet_all::<K, A>(&mut meeting, has_object, args) };
    if has_object {
        // SAFETY: passed on.
        unsafe { meeting.end() };
    }
}

/// # Safety
///
/// As for [`execute_pairs`], and every thread of the block calls this.
#[inline(always)]
unsafe fn meet_all<K: PairCall<A>, A: Copy>(meeting: &mut Meeting<K>, has_object: bool, args: A) {
    let count = call::count::<K::Other>();
    let bytes = const { call::tile_row_bytes::<K, A>() };
    if bytes == 0 || <K::Other as ClassInfo>::FIELDS.is_empty() {
        if has_object {
            for other in 0..count {
                // SAFETY: passed on.
                unsafe { meeting.meet(other, core::ptr::null(), args) };
            }
        }
        return;
    }
    let rows = shared::Address::start();
    let own = thread::thread_idx_x();
    let mut tile = 0;
    while tile < count {
        let len = TILE.min(count - tile);
        if own < len {
            // SAFETY: the other object exists, since the tile has so many, and each thread has a row.
            unsafe { load_row::<K, A>(tile + own, rows.add(own * bytes as u32)) };
        }
        // SAFETY: every thread of the block reaches the barrier.
        unsafe { thread::sync_threads() };
        if has_object {
            let mut k = 0;
            let step = const { unroll(call::tile_row_bytes::<K, A>()) };
            let mut row_at = rows;
            while k + step <= len {
                unrolled!(u, {
                    if u < step {
                        // SAFETY: passed on; the row was written before the barrier.
                        unsafe { meet_near(meeting, tile + k + u, row_at.add(u * bytes as u32), args) };
                    }
                });
                k += step;
                row_at = row_at.add(step * bytes as u32);
            }
            while k < len {
                // SAFETY: as above.
                unsafe { meet_near(meeting, tile + k, row_at, args) };
                k += 1;
                row_at = row_at.add(bytes as u32);
            }
        }
        // SAFETY: every thread of the block reaches the barrier.
        unsafe { thread::sync_threads() };
        tile += len;
    }
}

/// Copies the row of another object to shared memory.
///
/// # Safety
///
/// The other object exists, and this is the address of a row in shared memory.
#[inline]
pub(super) unsafe fn load_row<K: PairCall<A>, A>(other: u32, row_at: shared::Address) {
    let row = row_at.pointer::<u8>();
    // SAFETY: shared memory starts at a multiple of 16, and so does each row.
    unsafe { core::hint::assert_unchecked(row.addr().is_multiple_of(16)) };
    // SAFETY: there is room for the row, by the caller, at a multiple of 16.
    unsafe { call::write_tile_row::<K, A>(other, row) };
}

/// # Safety
///
/// As for [`execute_pairs`], and this is the address of the other object's row.
#[inline(always)]
unsafe fn meet_near<K: PairCall<A>, A: Copy>(meeting: &mut Meeting<K>, other: u32, row_at: shared::Address, args: A) {
    // SAFETY: the address is that of the other object's row, by the caller.
    let row = unsafe { near_row::<K, A>(row_at) };
    // SAFETY: the row is a copy of the other object's.
    unsafe { meeting.meet(other, row.as_ptr().cast(), args) };
}

/// A copy of a row in registers, loaded in the widest possible pieces.
///
/// # Safety
///
/// This is the address of a row.
#[inline]
pub(super) unsafe fn near_row<K: PairCall<A>, A>(row_at: shared::Address) -> [shared::Piece; MAX_PIECES] {
    let bytes = const { call::tile_row_bytes::<K, A>() };
    let mut row = [shared::Piece::default(); MAX_PIECES];
    unrolled!(n, {
        if n * 16 < bytes {
            // SAFETY: within the row, and a multiple of 16.
            row[n] = unsafe { row_at.add(n as u32 * 16).load() };
        }
    });
    row
}

/// The number of pieces in the largest row.
const MAX_PIECES: usize = 8;
