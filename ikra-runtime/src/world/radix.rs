//! Sorting positions by keys that are numbers.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

/// The bits of a digit.
const BITS: u32 = 11;
const DIGITS: usize = 1 << BITS;

/// From this number of keys on, several threads pay.
const MANY: usize = 1 << 16;

/// Below this number of keys, comparing them is faster.
pub(super) const FEW: usize = 1 << 9;

/// The positions of the keys in a stable ascending order.
pub(super) fn sorted_u32(keys: &[u32]) -> Vec<u32> {
    let pairs = keys.iter().enumerate().map(|(n, &key)| u64::from(key) << 32 | n as u64);
    positions(sorted_pairs(pairs.collect()))
}

/// The same for keys of 64 bits: sorted by their lower half, and then by their upper half.
pub(super) fn sorted_u64(keys: &[u64]) -> Vec<u32> {
    let pairs = keys.iter().enumerate().map(|(n, &key)| key << 32 | n as u64);
    let lower = sorted_pairs(pairs.collect());
    let upper = lower.par_iter().with_min_len(1 << 12).map(|&pair| {
        let n = pair & u64::from(u32::MAX);
        keys[n as usize] >> 32 << 32 | n
    });
    positions(sorted_pairs(upper.collect()))
}

fn positions(pairs: Vec<u64>) -> Vec<u32> {
    pairs.into_iter().map(|pair| pair as u32).collect()
}

/// Sorts pairs of a key, the upper half, and a position, by their keys. Pairs with equal keys keep their order.
fn sorted_pairs(mut pairs: Vec<u64>) -> Vec<u64> {
    let first = pairs.first().copied().unwrap_or(0);
    let differing = pairs.iter().fold(0, |bits, pair| bits | (pair ^ first)) >> 32;
    let mut others: Vec<_> = std::iter::repeat_with(|| AtomicU64::new(0)).take(pairs.len()).collect();
    for shift in (0..32).step_by(BITS as usize) {
        if differing >> shift & (DIGITS as u64 - 1) != 0 {
            pass(&pairs, &others, 32 + shift);
            let sorted = others.into_iter().map(AtomicU64::into_inner).collect();
            others = std::mem::replace(&mut pairs, sorted).into_iter().map(AtomicU64::new).collect();
        }
    }
    pairs
}

/// Sorts pairs by one digit.
fn pass(pairs: &[u64], sorted: &[AtomicU64], shift: u32) {
    let digit = |pair: u64| (pair >> shift) as usize & (DIGITS - 1);
    let threads = if pairs.len() >= MANY { rayon::current_num_threads() } else { 1 };
    let chunk = pairs.len().div_ceil(threads).max(1);
    let count = |pairs: &[u64]| {
        let mut counts = vec![0_usize; DIGITS];
        for &pair in pairs {
            counts[digit(pair)] += 1;
        }
        counts
    };
    let place = |(pairs, next): (&[u64], &mut Vec<usize>)| {
        for &pair in pairs {
            let next = &mut next[digit(pair)];
            // The pairs of different chunks go to different places, so the threads need no order.
            sorted[*next].store(pair, Relaxed);
            *next += 1;
        }
    };
    let mut counts: Vec<_> = match threads {
        1 => pairs.chunks(chunk).map(count).collect(),
        _ => pairs.par_chunks(chunk).map(count).collect(),
    };
    let mut next = 0;
    for digit in 0..DIGITS {
        for counts in &mut counts {
            let count = std::mem::replace(&mut counts[digit], next);
            next += count;
        }
    }
    match threads {
        1 => pairs.chunks(chunk).zip(&mut counts).for_each(place),
        _ => pairs.par_chunks(chunk).zip(&mut counts).for_each(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_a_stable_sort() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                for len in [0, 1, 2, 700, 70_001] {
                    for shift in [0, 13, 40, 63] {
                        let mut random = ikra_core::rng::Random::new(shift, len, 0);
                        let keys: Vec<u64> = (0..len).map(|_| random.next_u64() >> shift).collect();
                        let mut order: Vec<u32> = (0..len).collect();
                        order.sort_by_key(|&n| keys[n as usize]);
                        assert_eq!(sorted_u64(&keys), order);
                        let keys: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
                        order.sort_unstable_by_key(|&n| (keys[n as usize], n));
                        assert_eq!(sorted_u32(&keys), order);
                    }
                }
            });
        }
    }
}
