//! Objects that stay when others are removed, and close up.

#[cfg(not(target_arch = "nvptx64"))]
use std::vec::Vec;

#[cfg(not(target_arch = "nvptx64"))]
use crate::bits::end_of_ones;

/// Objects that stay when others are removed. They close up: each gets the number of those before it as its index.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    /// The end of the indices before.
    pub slots: usize,
    /// One bit per index.
    pub words: &'a [u64],
    /// The number of these objects before each word.
    pub before: &'a [u32],
}

impl Kept<'_> {
    /// The new index of an object, or `None` if it is removed. An object that does not exist keeps its index.
    #[inline]
    #[must_use]
    pub fn index(self, index: u32) -> Option<u32> {
        if index as usize >= self.slots {
            return Some(index);
        }
        let (n, bit) = (index as usize / 64, 1 << (index % 64));
        let word = self.words[n];
        (word & bit != 0).then(|| self.before[n] + (word & (bit - 1)).count_ones())
    }
}

/// The objects that a class keeps, and the memory of this list. All are below `slots`, and counted once.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Debug)]
pub struct KeptObjects {
    slots: usize,
    words: Vec<u64>,
    before: Vec<u32>,
    count: usize,
}

#[cfg(not(target_arch = "nvptx64"))]
impl KeptObjects {
    /// These objects, given as one bit per index below `slots`.
    ///
    /// # Panics
    ///
    /// If a bit of another index is set.
    #[must_use]
    pub fn new(slots: usize, mut words: Vec<u64>) -> Self {
        assert!(end_of_ones(&words) <= slots, "the objects exist");
        words.resize(slots.div_ceil(64), 0);
        let mut count = 0;
        let add = |word: &u64| {
            count += word.count_ones();
            count - word.count_ones()
        };
        let before = words.iter().map(add).collect();
        Self { slots, words, before, count: count as usize }
    }

    /// The number of objects that are kept.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The objects.
    #[must_use]
    pub fn get(&self) -> Kept<'_> {
        Kept { slots: self.slots, words: &self.words, before: &self.before }
    }
}
