//! The removed objects of a class: holes among its ids. Only the host knows them.

use core::fmt;
use core::mem::ManuallyDrop;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use std::string::String;
use std::sync::{Arc, OnceLock};
use std::vec;
use std::vec::Vec;

use crate::bits::is_set;
use crate::kept::KeptObjects;

/// Reads the bits of removed objects, which a device holds, or says why that is not possible.
pub type Fetch = Arc<dyn Fn() -> Result<Vec<u64>, String> + Send + Sync>;

/// The removed objects of a class, one bit per index. Their columns keep valid values that nothing reads.
#[derive(Default)]
pub struct Holes {
    /// The bits, once they were needed.
    words: OnceLock<Vec<u64>>,
    /// Where they are, if a device removed objects last.
    fetch: Option<Fetch>,
    count: u32,
}

impl fmt::Debug for Holes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} holes", self.count)
    }
}

impl Clone for Holes {
    fn clone(&self) -> Self {
        Self { words: OnceLock::from(self.words().clone()), fetch: None, count: self.count }
    }
}

impl Holes {
    /// No removed objects.
    #[expect(clippy::declare_interior_mutable_const, reason = "fresh holes for every class are what is wanted")]
    pub const NONE: Self = Self { words: OnceLock::new(), fetch: None, count: 0 };

    /// This number of removed objects, whose bits are on a device.
    #[must_use]
    pub const fn on_device(count: u32, fetch: Fetch) -> Self {
        Self { words: OnceLock::new(), fetch: Some(fetch), count }
    }

    /// The bits.
    #[inline]
    fn words(&self) -> &Vec<u64> {
        match self.words.get() {
            Some(words) => words,
            None => self.fetched(),
        }
    }

    #[cold]
    fn fetched(&self) -> &Vec<u64> {
        self.words.get_or_init(|| match &self.fetch {
            Some(fetch) => fetch().unwrap_or_else(|reason| panic!("{reason}")),
            None => Vec::new(),
        })
    }

    /// Fetches the bits, before the device is given up. If they are lost, no object counts as removed. Returns whether that
    /// is so.
    pub fn settle(&mut self) -> bool {
        let Some(fetch) = self.fetch.take().filter(|_| self.words.get().is_none()) else { return false };
        match fetch() {
            Ok(words) => self.words = OnceLock::from(words),
            Err(_) => *self = Self::NONE,
        }
        self.count == 0
    }

    /// The bits, to change them.
    fn words_mut(&mut self) -> &mut Vec<u64> {
        self.words();
        self.fetch = None;
        match self.words.get_mut() {
            Some(words) => words,
            None => unreachable!("they were just fetched"),
        }
    }

    /// The number of removed objects.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether the object at this index was removed.
    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        is_set(self.words(), index)
    }

    /// Notes that these objects were removed, given as one bit per index. None of them was removed before.
    pub fn insert(&mut self, removed: &[u64]) {
        let (words, mut count) = (self.words_mut(), 0);
        if words.len() < removed.len() {
            words.resize(removed.len(), 0);
        }
        for (word, &removed) in words.iter_mut().zip(removed) {
            debug_assert!(*word & removed == 0, "an object is removed once");
            count += (removed & !*word).count_ones();
            *word |= removed;
        }
        self.count += count;
    }

    /// Notes that the object at this index exists again.
    pub fn fill(&mut self, index: usize) {
        if let Some(word) = self.words_mut().get_mut(index / 64) {
            let was_removed = (*word >> (index % 64) & 1) as u32;
            *word &= !(1 << (index % 64));
            self.count -= was_removed;
        }
    }

    /// The objects below `slots` that exist: one bit per index, in words of a device.
    #[must_use]
    pub fn live_bits(&self, slots: usize) -> Vec<u32> {
        let word = |n: usize| {
            let removed = self.words().get(n / 2).map_or(0, |word| (word >> (n % 2 * 32)) as u32);
            !removed & u32::MAX >> (32 - (slots - n * 32).min(32))
        };
        (0..slots.div_ceil(32)).map(word).collect()
    }

    /// The objects below `slots` that exist, in ascending order.
    #[must_use]
    pub fn live_indices(&self, slots: usize) -> Vec<u32> {
        let mut indices = Vec::with_capacity(slots.saturating_sub(self.count as usize));
        for range in self.live(0..slots) {
            indices.extend(range.start as u32..range.end as u32);
        }
        indices
    }

    /// The first removed objects, at most `most` of them, in the order of their indices; with `among`, of those that are
    /// there too.
    pub fn first(&self, most: usize, among: Option<&Self>) -> Vec<u32> {
        let mut first = Vec::with_capacity(most.min(self.count as usize));
        for (n, &word) in self.words().iter().enumerate() {
            let there = |among: &Self| among.words().get(n).copied().unwrap_or(0);
            let mut rest = word & among.map_or(u64::MAX, there);
            while rest != 0 {
                if first.len() == most {
                    return first;
                }
                first.push(n as u32 * 64 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        first
    }

    /// The objects below `slots` that are left if some more are removed, given as one bit per index.
    #[must_use]
    pub fn kept(&self, slots: usize, removed: &[u64]) -> KeptObjects {
        let word = |words: &[u64], n: usize| words.get(n).copied().unwrap_or(0);
        let words = (0..slots.div_ceil(64)).map(|n| {
            let in_use = if slots - n * 64 >= 64 { u64::MAX } else { (1 << (slots % 64)) - 1 };
            in_use & !word(self.words(), n) & !word(removed, n)
        });
        KeptObjects::new(slots, words.collect())
    }

    /// The objects of a range that exist, as ranges of consecutive ones.
    pub fn live(&self, range: Range<usize>) -> Live<'_> {
        let mut live = Live { words: self.words(), first: range.start / 64 * 64, end: range.end, rest: 0 };
        live.rest = live.word() & (u64::MAX << (range.start % 64));
        live
    }
}

/// Objects that exist, as ranges of consecutive ones.
#[derive(Clone, Debug)]
pub struct Live<'a> {
    /// The removed objects.
    words: &'a [u64],
    /// The index of the current word's first object.
    first: usize,
    end: usize,
    /// The objects of the current word that are left.
    rest: u64,
}

impl Live<'_> {
    /// The objects of the current word.
    #[inline]
    fn word(&self) -> u64 {
        let live = !self.words.get(self.first / 64).copied().unwrap_or(0);
        match self.end.saturating_sub(self.first) {
            64.. => live,
            end => live & ((1 << end) - 1),
        }
    }
}

impl Iterator for Live<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        while self.rest == 0 {
            self.first += 64;
            if self.first >= self.end {
                self.first = self.end;
                return None;
            }
            self.rest = self.word();
        }
        let before = self.rest.trailing_zeros();
        let start = self.first + before as usize;
        let mut end = before + (self.rest >> before).trailing_ones();
        while end == 64 && self.first + 64 < self.end {
            self.first += 64;
            self.rest = self.word();
            end = self.rest.trailing_ones();
        }
        self.rest &= u64::MAX.checked_shl(end).unwrap_or(0);
        Some(start..self.first + end as usize)
    }
}

/// The objects that a running kernel removes: one bit per index. Without memory, no kernel that may remove runs.
#[derive(Debug, Default)]
pub struct Marks(Vec<AtomicU64>);

impl Marks {
    /// No kernel that may remove objects runs.
    pub const NONE: Self = Self(Vec::new());

    /// Marks for `len` objects, none of them set. Memory in which nobody sets one is not touched.
    #[must_use]
    pub fn new(len: usize) -> Self {
        let mut words = ManuallyDrop::new(vec![0_u64; len.div_ceil(64)]);
        // SAFETY: the parts of a vector that is not dropped; an `AtomicU64` has the size, the alignment and the values of
        // a `u64` where addresses have 64 bits.
        Self(unsafe { Vec::from_raw_parts(words.as_mut_ptr().cast(), words.len(), words.capacity()) })
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
        let mut words = ManuallyDrop::new(self.0);
        // SAFETY: as in `new`.
        unsafe { Vec::from_raw_parts(words.as_mut_ptr().cast(), words.len(), words.capacity()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{count_ones, end_of_ones, ones};
    use crate::rng::Random;

    /// Words with bits of any density.
    fn words(random: &mut Random, count: usize) -> Vec<u64> {
        let dense = |random: &mut Random, n: u32| (0..n).fold(u64::MAX, |word, _| word & random.next_u64());
        (0..count)
            .map(|_| match random.below(4) {
                0 => 0,
                1 => u64::MAX,
                n => dense(random, 2 * n),
            })
            .collect()
    }

    #[test]
    fn ranges_have_the_objects_that_exist() {
        for seed in 0..200 {
            let mut random = Random::new(seed, 0, 0);
            let mut holes = Holes::NONE;
            holes.insert(&words(&mut random, seed as usize % 5));
            let slots = 200 + random.below(150) as usize;
            let start = random.below(250) as usize;
            let end = random.below(slots as u32 + 1) as usize;
            let live: Vec<_> = holes.live(start..end).collect();
            let objects = (start..end).filter(|&index| !holes.contains(index));
            assert!(live.iter().cloned().flatten().eq(objects), "{live:?}");
            assert!(
                live.windows(2).all(|pair| pair[0].end < pair[1].start),
                "ranges are as long as possible: {live:?}"
            );
            let all: Vec<_> = ones(holes.words()).map(|index| index as u32).collect();
            let most = random.below(90) as usize;
            assert!(holes.first(most, None).iter().eq(all.iter().take(most)));
            // Every second hole was one before.
            let mut before = holes.clone();
            all.iter().step_by(2).for_each(|&index| before.fill(index as usize));
            let odd = all.iter().skip(1).step_by(2).take(most);
            assert!(holes.first(most, Some(&before)).iter().eq(odd));
        }
    }

    #[test]
    fn kept_objects_close_up() {
        for seed in 0..200 {
            let mut random = Random::new(seed, 1, 0);
            let mut holes = Holes::NONE;
            holes.insert(&words(&mut random, 3));
            let others = words(&mut random, 4);
            let removed: Vec<_> = others.iter().zip(holes.words().iter().chain([&0])).map(|(a, b)| a & !b).collect();
            let slots = end_of_ones(holes.words()).max(end_of_ones(&removed)) + random.below(70) as usize;
            let kept = holes.kept(slots, &removed);
            let mut next = 0;
            for index in 0..slots {
                let stays = !holes.contains(index) && !is_set(&removed, index);
                assert_eq!(kept.get().index(index as u32), stays.then_some(next));
                next += u32::from(stays);
            }
            assert_eq!((kept.count(), kept.get().index(slots as u32)), (next as usize, Some(slots as u32)));
            assert_eq!(count_ones(&removed), ones(&removed).count());
        }
    }
}
