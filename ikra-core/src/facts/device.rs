//! On the device, which has no sequential code, and never just one thread.

/// Size 0.
#[derive(Clone, Copy, Debug)]
pub struct Facts;

impl Facts {
    /// No known facts.
    pub const NONE: Self = Self;

    #[inline(always)]
    pub(crate) fn of_linked_object(self) -> Self {
        self
    }

    #[inline(always)]
    pub(crate) fn of_existing(self) -> Self {
        self
    }

    #[inline(always)]
    pub(crate) fn exists(self) -> bool {
        true
    }

    #[inline(always)]
    pub fn is_last(self) -> bool {
        true
    }

    #[inline(always)]
    pub(crate) fn has_no_device(self) -> bool {
        true
    }

    #[inline(always)]
    pub(crate) fn is_alone(self) -> bool {
        false
    }
}
