//! An inner array in a row, on the device: where none is ever made.

use core::fmt;
use core::ops::{Deref, DerefMut};

/// An array of any length, as a field of a row. Rows that have one are made on the host.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InnerArray<T>([T; 0]);

#[cold]
#[inline(never)]
fn on_the_host() -> ! {
    panic!("an `InnerArray` was made in a kernel; objects that have one are made on the host\0")
}

impl<T> InnerArray<T> {
    /// An array without elements.
    pub const fn new() -> Self {
        Self([])
    }
}

impl<T> Default for InnerArray<T> {
    fn default() -> Self {
        Self::new()
    }
}
impl<T> fmt::Debug for InnerArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[]")
    }
}
impl<T> Deref for InnerArray<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}
impl<T> DerefMut for InnerArray<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}
impl<T: Clone> From<&[T]> for InnerArray<T> {
    fn from(elements: &[T]) -> Self {
        if elements.is_empty() { Self([]) } else { on_the_host() }
    }
}
impl<T, const N: usize> From<[T; N]> for InnerArray<T> {
    fn from(_: [T; N]) -> Self {
        if N == 0 { Self([]) } else { on_the_host() }
    }
}
impl<T> FromIterator<T> for InnerArray<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        if elements.into_iter().next().is_none() { Self([]) } else { on_the_host() }
    }
}
