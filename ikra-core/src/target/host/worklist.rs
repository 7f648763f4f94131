//! The memory of worklists on the host: a set of bits, which gives the objects in the order of their ids.

use std::any::Any;
use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use super::groups::Made;

/// The bits of a number.
const BITS: usize = 64;

/// Objects without a bit: they have larger indices than the others, or none before the kernel that makes them ends.
#[derive(Debug, Default)]
pub struct Younger(Mutex<Indices>);

#[derive(Debug, Default)]
struct Indices {
    all: Vec<u32>,
    /// How many there were when the kernel began that makes such objects now, if one does.
    before: Option<usize>,
}

impl Younger {
    /// Notes that a kernel begins which may make objects.
    pub fn open(&self) {
        let mut young = self.lock();
        young.before = Some(young.all.len());
    }

    /// Notes that it has ended. If its objects do not exist then, those that it added are forgotten.
    pub fn close(&self, exist: bool) {
        let mut young = self.lock();
        if let Some(before) = young.before.take()
            && !exist
        {
            young.all.truncate(before);
        }
    }

    /// Replaces the indices by which links name new objects until their kernel ends.
    pub fn settle(&self, index: impl Fn(u32) -> u32) {
        self.lock().all.iter_mut().for_each(|one| *one = index(*one));
    }

    fn lock(&self) -> MutexGuard<'_, Indices> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Objects that were found.
pub struct Found {
    /// A bit for each object.
    bits: Vec<AtomicU64>,
    /// A bit for each number of `bits` that is not 0.
    used: Vec<AtomicU64>,
    count: u32,
    /// Those that kernels of this iteration may have made.
    pub(crate) younger: Arc<Younger>,
    /// Whether the host runs the loop.
    is_here: bool,
    pub(crate) made: Made,
    /// The objects of this iteration.
    pub(crate) now: Arc<dyn Any + Send + Sync>,
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found").field("count", &self.count).field("made", &self.made).finish_non_exhaustive()
    }
}

impl Found {
    /// None, of so many objects.
    pub(crate) fn new(made: Made, count: u32, now: Arc<dyn Any + Send + Sync>) -> Self {
        let mut found = Self { is_here: true, ..Self::on_device(made, Arc::clone(&now)) };
        found.begin(made, count, now);
        found
    }

    /// For a loop that a device runs.
    pub(crate) fn on_device(made: Made, now: Arc<dyn Any + Send + Sync>) -> Self {
        let (bits, used, younger) = Default::default();
        Self { bits, used, count: 0, younger, is_here: false, made, now }
    }

    /// Begins an iteration, of so many objects.
    pub(crate) fn begin(&mut self, made: Made, count: u32, now: Arc<dyn Any + Send + Sync>) {
        self.bits.resize_with((count as usize).div_ceil(BITS), AtomicU64::default);
        self.used.resize_with(self.bits.len().div_ceil(BITS), AtomicU64::default);
        (self.count, self.made, self.now) = (count, made, now);
    }

    /// Begins a kernel: only a device has to.
    #[inline]
    pub(crate) fn ready(&mut self) {}

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Adds an object. `false` if the host does not run the loop.
    #[inline]
    pub(crate) fn insert(&self, index: u32) -> bool {
        let (at, bit) = (index as usize / BITS, 1 << (index as usize % BITS));
        if index >= self.count {
            self.younger.lock().all.push(index);
            return self.is_here;
        }
        // A load is cheaper than a change, which takes the cache line from other threads.
        if self.bits[at].load(Relaxed) & bit == 0 && self.bits[at].fetch_or(bit, Relaxed) == 0 {
            self.used[at / BITS].fetch_or(1 << (at % BITS), Relaxed);
        }
        true
    }

    /// Takes all objects, in ascending order.
    pub(crate) fn take(&mut self) -> Vec<u32> {
        let mut younger = mem::take(&mut self.younger.lock().all);
        // Some took the indices of objects that are gone.
        younger.retain(|&index| index >= self.count || !self.insert(index));
        let mut all = Vec::new();
        for (group, used) in self.used.iter_mut().enumerate() {
            for word in ones(mem::take(used.get_mut())).map(|bit| group * BITS + bit) {
                let bits = mem::take(self.bits[word].get_mut());
                all.extend(ones(bits).map(|bit| (word * BITS + bit) as u32));
            }
        }
        younger.sort_unstable();
        younger.dedup();
        all.append(&mut younger);
        all
    }
}

/// The positions of the bits that are set, in ascending order.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros() as usize;
        (bits != 0).then(|| {
            bits &= bits - 1;
            bit
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::vec;

    use super::*;

    #[test]
    fn each_object_is_found_once_and_in_order() {
        for count in [0, 1, 63, 64, 65, 4095, 4096, 4097, 300_000] {
            let mut found = Found::new(Made { table: 1, generation: 1 }, count, Arc::new(()));
            for round in 0..3 {
                let mut wanted = BTreeSet::new();
                for n in 0..500_u32 {
                    let index = n.wrapping_mul(2_654_435_761).wrapping_add(round) % (count + 2);
                    assert!(found.insert(index));
                    wanted.insert(index);
                }
                assert_eq!(found.take(), wanted.into_iter().collect::<Vec<_>>(), "{count}");
            }
            assert_eq!(found.take(), vec![]);
        }
    }
}
