//! The position of this thread: a block is one thread of rayon's pool.

#[inline(always)]
pub(crate) fn thread_idx_x() -> u32 {
    0
}
#[inline(always)]
pub(crate) fn block_idx_x() -> u32 {
    rayon_core::current_thread_index().unwrap_or(0) as u32
}
#[inline(always)]
pub(crate) fn block_dim_x() -> u32 {
    1
}
#[inline(always)]
pub(crate) fn grid_dim_x() -> u32 {
    rayon_core::current_num_threads() as u32
}
#[inline(always)]
pub(crate) unsafe fn sync_threads() {}
#[inline(always)]
pub(crate) unsafe fn sync_warp() {}
