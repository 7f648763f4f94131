//! Sets of indices, one bit for each.

/// Whether a bit is set.
pub(crate) fn is_set(words: &[u64], index: usize) -> bool {
    words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
}

/// Sets a bit.
pub(crate) fn set(words: &mut Vec<u64>, index: usize) {
    if words.len() <= index / 64 {
        words.resize(index / 64 + 1, 0);
    }
    words[index / 64] |= 1 << (index % 64);
}
