//! An iterator's next element: asked for before the one before it is used, since a thread waits for what it asks for
//! last.

use crate::value::Value;

pub(crate) struct Ahead<T>(T);

impl<T: Copy> Copy for Ahead<T> {}
impl<T: Copy> Clone for Ahead<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Value> Ahead<T> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self(T::PLACEHOLDER)
    }

    /// Asks for the next element, if there is one.
    #[inline(always)]
    pub(crate) fn ask(&mut self, exists: bool, read: impl FnOnce() -> T) {
        if exists {
            self.0 = read();
        }
    }

    /// The element that was asked for.
    #[inline(always)]
    pub(crate) fn take(self, _: impl FnOnce() -> T) -> T {
        self.0
    }
}

/// Whether an iterator is over whose next position is at most `end`.
#[inline(always)]
pub(crate) fn is_over(next: u32, end: u32) -> bool {
    next >= end
}
