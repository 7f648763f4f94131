//! The elements of an inner array of a row.

use crate::target::inner_array::InnerArray;

pub(crate) type Elements<T> = Vec<T>;

pub(crate) const fn none<T>() -> Elements<T> {
    Vec::new()
}
pub(crate) fn copied<T: Clone>(elements: &[T]) -> Elements<T> {
    elements.to_vec()
}
pub(crate) fn of<T, const N: usize>(elements: [T; N]) -> Elements<T> {
    elements.into()
}
pub(crate) fn collected<T>(elements: impl IntoIterator<Item = T>) -> Elements<T> {
    elements.into_iter().collect()
}

impl<T> InnerArray<T> {
    /// The elements.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T> From<Vec<T>> for InnerArray<T> {
    fn from(elements: Vec<T>) -> Self {
        Self(elements)
    }
}
impl<T> IntoIterator for InnerArray<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
impl<'a, T> IntoIterator for &'a InnerArray<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
