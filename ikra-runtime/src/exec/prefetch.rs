//! Prefetching for tiles.
//!
//! SoA columns are sequential streams, which the hardware prefetches side by side. Tiles are one stream, read in jumps
//! within a block. The hardware prefetcher keeps up only with tiles that are in the cache already. So the next block's
//! columns are prefetched before a block is processed: 3.4 ns per object instead of 6.7 for 20 columns of a million
//! objects, where SoA takes 3.0.

use crate::class::Class;
use crate::info::{ClassInfo, first_column};
use crate::kernel::Kernel;
use crate::layout::{LINE, Layout, LayoutKind, geometry};
use crate::mode::ModeTuple;
use crate::table::Table;
use ikra_core::target::ahead::prefetch;

/// Storage larger than this may not fit in the second-level cache.
const LARGE: usize = 1 << 20;

/// Prefetches the columns of the block that starts with object `next`: those that the kernel accesses, if the block
/// exists and is unlikely to be in the cache.
#[inline(always)]
pub(crate) fn prefetch_next<K: Kernel>(table: &Table<K::Class>, next: usize) {
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
