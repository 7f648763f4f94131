//! Prefetching for tiles.
//!
//! SoA columns are as many sequential streams as there are columns, which the hardware prefetches side by
//! side. Tiles are one stream, read in jumps within a block: the hardware prefetcher keeps up only with
//! data that is in the cache already. So the next block's columns are asked for before a block is worked
//! on: 3.4 ns an object instead of 6.7 for 20 columns of a million objects, where SoA takes 3.0.

use crate::class::Class;
use crate::info::{ClassInfo, first_column};
use crate::kernel::Kernel;
use crate::layout::{LINE, Layout, LayoutKind, geometry};
use crate::mode::ModeTuple;
use crate::table::Table;

/// Storage that is larger than this may be out of the second-level cache.
const LARGE: usize = 1 << 20;

/// Asks for the columns of the block that starts with object `next`, if the kernel accesses them,
/// there is one, and it is not likely to be in the cache already.
#[inline(always)]
pub(super) fn prefetch_next<K: Kernel>(table: &Table<K::Class>, next: usize) {
    if let LayoutKind::Tiles(tile) = <K::Class as Class>::Layout::KIND
        && next.is_multiple_of(tile)
        && next < table.len()
        && table.len() / tile * geometry::<K::Class>().block > LARGE
    {
        let geometry = geometry::<K::Class>();
        let fields = <K::Class as ClassInfo>::FIELDS;
        for field in 0..fields.len() {
            if !K::Modes::TOUCHES.contains(field) {
                continue;
            }
            let first = first_column(fields, field);
            for column in first..first + fields[field].columns.len() {
                // SAFETY: object `next` exists.
                let start = unsafe { table.address(column, next) };
                for line in (0..geometry.sizes[column] * tile).step_by(LINE) {
                    prefetch(start.wrapping_add(line));
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn prefetch(address: *const u8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a hint; it accesses nothing.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch(_: *const u8) {}
