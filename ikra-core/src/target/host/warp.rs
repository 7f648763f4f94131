//! The threads that run in lockstep: one.

pub(crate) const SIZE: u32 = 1;

#[inline]
pub(crate) fn lane_id() -> u32 {
    0
}
#[inline]
pub(crate) fn activemask() -> u32 {
    1
}
#[inline]
pub(crate) unsafe fn ballot(mask: u32, predicate: bool) -> u32 {
    mask & u32::from(predicate)
}
#[inline]
pub(crate) unsafe fn shuffle_xor(_mask: u32, value: u32, _change: u32) -> u32 {
    value
}
#[inline]
pub(crate) unsafe fn meet(_mask: u32) {}
