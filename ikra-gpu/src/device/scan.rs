//! The sums of all numbers before each, in one pass over the numbers.
//!
//! Each block sums the numbers of its tile, and publishes the sum. Then it adds up what the tiles before it have published,
//! from the nearest one on, until a tile has published the sum of all tiles up to itself. (Merrill and Garland, "Single-pass
//! Parallel Prefix Scan with Decoupled Look-back".)
//!
//! A block waits for others, but only for those that took their tile before it. So whatever the order in which blocks start,
//! and however many run at once: of the blocks that have a tile and are not done, that with the first tile waits for nobody.

use core::arch::asm;

use ikra_core::thread;

use super::shared;
use super::unrolled::unrolled;
use super::warps::{self, LANES};
use crate::chunks::{SCAN_ROWS, SCAN_THREADS, SCAN_TILE};

/// Numbers that a thread loads at once.
const WIDTH: u32 = 4;
const WARPS: u32 = SCAN_THREADS / LANES;
/// The numbers of a warp.
const OF_WARP: u32 = SCAN_TILE / WARPS;
const ROWS: usize = SCAN_ROWS as usize;
const _: () = assert!(OF_WARP == SCAN_ROWS * LANES * WIDTH && ROWS <= 20);

/// Nanoseconds that a tile waits before it asks for the sums before it, which are rarely there sooner; and between two
/// questions. Questions keep others from publishing.
const FIRST_WAIT: u32 = 600;
const WAIT: u32 = 200;

/// The states of a tile, in the upper half of a word whose lower half is a sum: of the tile's numbers, or of all numbers up
/// to its last one. 0 stands for none.
const OWN: u64 = 1 << 32;
const ALL: u64 = 2 << 32;

/// Four numbers that lie one after another.
type Four = [u32; WIDTH as usize];

/// Loads four numbers.
///
/// # Safety
///
/// The address is a multiple of 16, and has four numbers of global memory.
#[inline(always)]
unsafe fn load(at: *const u32) -> Four {
    let (a, b, c, d);
    // SAFETY: four numbers at a multiple of 16. Not `pure`, as an earlier kernel may have written them.
    unsafe {
        asm!("ld.global.v4.u32 {{{0}, {1}, {2}, {3}}}, [{4}];", out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d,
            in(reg64) at, options(readonly, nostack, preserves_flags));
    }
    [a, b, c, d]
}

/// Stores four numbers.
///
/// # Safety
///
/// The address is a multiple of 16, and has room for four numbers in global memory.
#[inline(always)]
unsafe fn store(at: *mut u32, [a, b, c, d]: Four) {
    // SAFETY: by the caller.
    unsafe {
        asm!("st.global.v4.u32 [{4}], {{{0}, {1}, {2}, {3}}};", in(reg32) a, in(reg32) b, in(reg32) c, in(reg32) d,
            in(reg64) at, options(nostack, preserves_flags));
    }
}

/// Publishes the state of a tile.
///
/// # Safety
///
/// The address of a word in global memory.
#[inline(always)]
unsafe fn publish(at: *mut u64, state: u64) {
    // SAFETY: a store of one word, so that no thread sees a part of it.
    unsafe {
        asm!("st.relaxed.gpu.global.u64 [{0}], {1};", in(reg64) at, in(reg64) state, options(nostack, preserves_flags));
    }
}

/// The state of a tile now.
///
/// # Safety
///
/// The address of a word in global memory.
#[inline(always)]
unsafe fn published(at: *const u64) -> u64 {
    let state;
    // SAFETY: a load of one word, which others store as a whole.
    unsafe {
        asm!("ld.relaxed.gpu.global.u64 {0}, [{1}];", out(reg64) state, in(reg64) at, options(nostack, preserves_flags));
    }
    state
}

/// Lets other warps run for about that time.
#[inline]
fn wait(nanoseconds: u32) {
    // SAFETY: it changes nothing.
    unsafe { asm!("nanosleep.u32 {0};", in(reg32) nanoseconds, options(nomem, nostack, preserves_flags)) };
}

/// Takes the next tile. One thread of the block calls it.
///
/// # Safety
///
/// The address of a number in global memory.
#[inline(always)]
unsafe fn take(counter: *mut u64) -> u32 {
    let tile;
    // SAFETY: by the caller.
    unsafe {
        asm!("atom.relaxed.gpu.global.add.u32 {0}, [{1}], 1;", out(reg32) tile, in(reg64) counter,
            options(nostack, preserves_flags));
    }
    tile
}

/// The sum of the numbers in all tiles before this one. Publishes it with the tile's own sum.
///
/// # Safety
///
/// All threads of one warp of the block call this. `tiles` has a word for each tile, and this one is the block's.
#[inline(always)]
unsafe fn look_back(tiles: *mut u64, tile: u32, own: u32) -> u32 {
    let lane = warps::lane();
    // SAFETY: the block's own word. One thread writes it, before it reads others.
    unsafe {
        if lane == 0 {
            publish(tiles.add(tile as usize), if tile == 0 { ALL } else { OWN } | u64::from(own));
        }
    }
    let (mut before, mut end) = (0_u32, tile);
    if tile > 0 {
        wait(FIRST_WAIT);
    }
    while end > 0 {
        // The tile before `end`, or another one before that, or none.
        let number = end.wrapping_sub(1 + lane);
        let state = loop {
            // SAFETY: within the words.
            let state = if lane < end { unsafe { published(tiles.add(number as usize)) } } else { ALL };
            // SAFETY: all threads of the warp reach this, since all leave the loop at once.
            if unsafe { warps::ballot(state == 0) } == 0 {
                break state;
            }
            wait(WAIT);
        };
        // SAFETY: all threads of the warp reach this.
        let done = unsafe { warps::ballot(state >= ALL) };
        let last = done.trailing_zeros();
        let sum = if lane <= last { state as u32 } else { 0 };
        // SAFETY: all threads of the warp reach this.
        before = before.wrapping_add(unsafe { warps::combined(sum, u32::wrapping_add) });
        if done != 0 {
            break;
        }
        end -= LANES;
    }
    // SAFETY: the block's own word, after all that its sum depends on.
    unsafe {
        if lane == 0 && tile > 0 {
            publish(tiles.add(tile as usize), ALL | u64::from(before.wrapping_add(own)));
        }
    }
    before
}

/// Writes the sum of the numbers before each.
///
/// # Safety
///
/// 1. There are `len` numbers, and room for as many sums, which may be in their place. Both start at multiples of 16.
/// 2. There is a block of [`SCAN_THREADS`] threads for each [`SCAN_TILE`] numbers, and `tiles` has a word for each block and
///    one more. All of them are 0.
/// 3. Shared memory has a word per thread.
#[inline]
pub unsafe fn scan(from: *const u32, to: *mut u32, len: u32, tiles: *mut u64) {
    let (own, room) = (thread::thread_idx_x(), shared::start::<u32>());
    let (warp, lane) = (own / LANES, own % LANES);
    // SAFETY: every thread of the block reaches the barriers. The first thread writes between them, and all read after them.
    let tile = unsafe {
        if own == 0 {
            room.write(take(tiles));
        }
        thread::sync_threads();
        let tile = room.read();
        thread::sync_threads();
        tile
    };
    // All tiles but the last one are whole.
    let is_whole = len - tile * SCAN_TILE >= SCAN_TILE;
    let first = (tile * SCAN_TILE).saturating_add(warp * OF_WARP + lane * WIDTH);
    let sum = |[a, b, c, d]: Four| a.wrapping_add(b).wrapping_add(c).wrapping_add(d);
    let mut fours = [[0; WIDTH as usize]; ROWS];
    if is_whole {
        let from = from.wrapping_add(first as usize);
        unrolled!(ROW below ROWS => {
            // SAFETY: within the numbers, as the tile is.
            fours[ROW] = unsafe { load(from.wrapping_add(ROW * (LANES * WIDTH) as usize)) };
        });
    } else {
        unrolled!(ROW below ROWS => {
            for n in 0..WIDTH {
                let place = first.saturating_add(ROW as u32 * LANES * WIDTH + n);
                if place < len {
                    // SAFETY: within the numbers.
                    fours[ROW][n as usize] = unsafe { from.add(place as usize).read() };
                }
            }
        });
    }
    // The sum of the warp's numbers before each thread's, row by row; and that of all.
    let (mut earlier, mut all) = ([0_u32; ROWS], 0_u32);
    unrolled!(ROW below ROWS => {
        let own = sum(fours[ROW]);
        // SAFETY: all threads of the warp reach this.
        let (up_to, row) = unsafe {
            let up_to = warps::summed(own);
            (up_to, warps::from(up_to, LANES - 1))
        };
        earlier[ROW] = all.wrapping_add(up_to).wrapping_sub(own);
        all = all.wrapping_add(row);
    });
    // SAFETY: every thread of the block reaches the barriers; each warp writes its own word before the first one. The first
    // warp writes one more word before the second.
    let before = unsafe {
        if lane == 0 {
            room.add(warp as usize).write(all);
        }
        thread::sync_threads();
        let of_warp = if lane < WARPS { room.add(lane as usize).read() } else { 0 };
        let of_warps = warps::summed(of_warp);
        if warp == 0 {
            let of_block = warps::from(of_warps, WARPS - 1);
            let before = look_back(tiles.add(1), tile, of_block);
            if lane == 0 {
                room.add(WARPS as usize).write(before);
            }
        }
        let in_block = warps::from(of_warps.wrapping_sub(of_warp), warp);
        thread::sync_threads();
        room.add(WARPS as usize).read().wrapping_add(in_block)
    };
    let own_sums = to.wrapping_add(first as usize);
    unrolled!(ROW below ROWS => {
        let (four, place) = (fours[ROW], first.saturating_add(ROW as u32 * LANES * WIDTH));
        let a = before.wrapping_add(earlier[ROW]);
        let b = a.wrapping_add(four[0]);
        let c = b.wrapping_add(four[1]);
        let sums = [a, b, c, c.wrapping_add(four[2])];
        if is_whole {
            // SAFETY: within the sums, as the tile is; no other thread has these.
            unsafe { store(own_sums.wrapping_add(ROW * (LANES * WIDTH) as usize), sums) };
        } else {
            for n in 0..WIDTH {
                if place.saturating_add(n) < len {
                    // SAFETY: within the sums; no other thread has these.
                    unsafe { to.add((place + n) as usize).write(sums[n as usize]) };
                }
            }
        }
    });
}
