//! The removed objects of a class: holes among its ids. Only the host knows them.

use core::fmt;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use std::vec::Vec;

/// The removed objects of a class, one bit per index. Their columns keep valid values that nothing reads.
#[derive(Default)]
pub struct Holes {
    words: Vec<u64>,
    count: u32,
}

impl fmt::Debug for Holes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} holes", self.count)
    }
}

impl Clone for Holes {
    fn clone(&self) -> Self {
        Self { words: self.words.clone(), count: self.count }
    }
}

impl Holes {
    /// No removed objects.
    pub const NONE: Self = Self { words: Vec::new(), count: 0 };

    /// The number of removed objects.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether the object at this index was removed.
    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    /// Notes that these objects were removed, given as one bit per index. None of them was removed before.
    pub fn insert(&mut self, removed: &[u64]) {
        if self.words.len() < removed.len() {
            self.words.resize(removed.len(), 0);
        }
        for (word, &removed) in self.words.iter_mut().zip(removed) {
            debug_assert!(*word & removed == 0, "an object is removed once");
            self.count += (removed & !*word).count_ones();
            *word |= removed;
        }
    }

    /// Notes that the object at this index exists again.
    pub fn fill(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / 64) {
            self.count -= (*word >> (index % 64) & 1) as u32;
            *word &= !(1 << (index % 64));
        }
    }

    /// The removed objects, in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        ones(&self.words)
    }

    /// The objects of a range that exist, as ranges of consecutive ones.
    pub fn live(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + Clone + '_ {
        let mut next = range.start;
        core::iter::from_fn(move || {
            let start = self.find(next, range.end, false)?;
            next = self.find(start, range.end, true).unwrap_or(range.end);
            Some(start..next)
        })
    }

    /// The first index from `start` on, before `end`, that was removed, or not.
    fn find(&self, start: usize, end: usize, removed: bool) -> Option<usize> {
        let mut at = start;
        while at < end {
            let word = self.words.get(at / 64).copied().unwrap_or(0);
            let wanted = if removed { word } else { !word } >> (at % 64);
            if wanted != 0 {
                return Some(at + wanted.trailing_zeros() as usize).filter(|&found| found < end);
            }
            at = (at / 64 + 1) * 64;
        }
        None
    }
}

/// The positions of the bits that are set, in ascending order.
pub fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(n, &word)| {
        let mut rest = word;
        core::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(n * 64 + bit)
        })
    })
}

/// The objects that a running kernel removes: one bit per index. Without memory, no kernel that may remove runs.
#[derive(Debug, Default)]
pub struct Marks(Vec<AtomicU64>);

impl Marks {
    /// No kernel that may remove objects runs.
    pub const NONE: Self = Self(Vec::new());

    /// Marks for `len` objects, none of them set.
    #[must_use]
    pub fn new(len: usize) -> Self {
        Self((0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Marks an object. Returns whether there is memory for its mark.
    #[inline]
    pub fn set(&self, index: usize) -> bool {
        // Marks of other objects share the word.
        self.0.get(index / 64).map(|word| word.fetch_or(1 << (index % 64), Relaxed)).is_some()
    }

    /// The marks as words.
    #[must_use]
    pub fn into_words(self) -> Vec<u64> {
        self.0.into_iter().map(AtomicU64::into_inner).collect()
    }
}
