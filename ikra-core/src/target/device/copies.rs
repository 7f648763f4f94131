//! Copies of inner arrays: only sequential code makes them.

use crate::value::Value;

/// Memory for copies of inner arrays, which the device never makes.
#[derive(Debug, Default)]
pub struct Copies(());

impl Copies {
    /// Without copies.
    #[inline]
    pub const fn new() -> Self {
        Self(())
    }

    pub(crate) fn of<T: Value>(&mut self, _: usize, _: impl FnMut(usize) -> T) -> *mut T {
        panic!("sequential code does not run on the device\0")
    }
}
