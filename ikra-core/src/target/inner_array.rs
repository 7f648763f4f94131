//! The type of an inner array in a row.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::target::row::{self, Elements};

/// An array of any length, as a field of a row. `#[inline_array(K)]` sets how many of its elements the object holds;
/// the others lie in the class's arena.
///
/// In methods the field is an accessor, [`InnerMut`](crate::storage::InnerMut). Once the object exists, its array has a
/// fixed length.
///
/// ```
/// use ikra::prelude::*;
///
/// #[soa_class]
/// #[derive(Clone, Debug, PartialEq)]
/// pub struct Route { #[inline_array(2)] pub stops: InnerArray<u16> }
/// #[soa_world]
/// pub struct Plan { pub routes: Objects<Route> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut plan = Plan::new();
/// let from_array = Route { stops: [1, 2, 3].into() };
/// let from_iterator = Route { stops: (1..=3).collect() };
/// assert_eq!(from_array, from_iterator);
/// let route = plan.routes.push(from_array)?;
/// assert_eq!(plan.routes.read(route)?.stops[2], 3);
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InnerArray<T>(pub(crate) Elements<T>);

impl<T> InnerArray<T> {
    /// An empty array.
    pub const fn new() -> Self {
        Self(row::none())
    }
}

impl<T> Default for InnerArray<T> {
    fn default() -> Self {
        Self::new()
    }
}
impl<T: fmt::Debug> fmt::Debug for InnerArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
        Self(row::copied(elements))
    }
}
impl<T, const N: usize> From<[T; N]> for InnerArray<T> {
    fn from(elements: [T; N]) -> Self {
        Self(row::of(elements))
    }
}
impl<T> FromIterator<T> for InnerArray<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self(row::collected(elements))
    }
}
