//! Elements with their indices.

use core::iter::FusedIterator;

/// The elements of an inner array with their indices: the result of [`InnerIter::enumerate`](super::InnerIter::enumerate).
#[derive(Clone, Debug)]
pub struct Enumerated<I> {
    iter: I,
    count: usize,
}

impl<I> Enumerated<I> {
    #[inline(always)]
    pub(super) fn new(iter: I) -> Self {
        Self { iter, count: 0 }
    }
}

impl<I: Iterator> Iterator for Enumerated<I> {
    type Item = (usize, I::Item);

    // Unlike the standard library's version, it adds no step that plain iteration does not have.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (element, number) = (self.iter.next(), self.count);
        self.count = number.wrapping_add(usize::from(element.is_some()));
        element.map(|element| (number, element))
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.iter.size_hint()
    }

    #[inline(always)]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let mut number = self.count;
        self.iter.fold(init, |folded, element| {
            number += 1;
            f(folded, (number - 1, element))
        })
    }
}

impl<I: ExactSizeIterator + DoubleEndedIterator> DoubleEndedIterator for Enumerated<I> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<Self::Item> {
        let number = self.count + self.iter.len();
        self.iter.next_back().map(|element| (number - 1, element))
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for Enumerated<I> {}
impl<I: FusedIterator> FusedIterator for Enumerated<I> {}
