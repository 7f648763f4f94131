//! On the device, where there is no sequential code.

/// No bytes.
#[derive(Clone, Copy, Debug)]
pub struct Facts;

impl Facts {
    pub(crate) const NONE: Self = Self;

    #[inline(always)]
    pub(crate) fn of_linked_object(self) -> Self {
        self
    }

    #[inline(always)]
    pub(crate) fn of_existing(self) -> Self {
        Self
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
    pub(crate) fn is_alone(self) -> bool {
        true
    }
}
