//! Sets of indices: one bit for each, in words of 64 bits.

#[cfg(not(target_arch = "nvptx64"))]
use std::vec::Vec;

/// Whether a bit is set.
#[inline]
#[must_use]
pub fn is_set(words: &[u64], index: usize) -> bool {
    words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
}

/// Sets a bit.
#[cfg(not(target_arch = "nvptx64"))]
pub fn set(words: &mut Vec<u64>, index: usize) {
    if words.len() <= index / 64 {
        words.resize(index / 64 + 1, 0);
    }
    words[index / 64] |= 1 << (index % 64);
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

/// The number of bits that are set.
#[must_use]
pub fn count_ones(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// The end of the positions of bits that are set.
#[must_use]
pub fn end_of_ones(words: &[u64]) -> usize {
    let last = words.iter().rposition(|&word| word != 0);
    last.map_or(0, |last| last * 64 + 64 - words[last].leading_zeros() as usize)
}
