//! The new objects of a running kernel, on the host.

use core::mem;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::vec::Vec;

/// A new object, before it has an id.
#[derive(Debug)]
pub struct Young<C> {
    /// The section and the index of its maker, which order the new objects.
    pub maker: (u32, u32),
    /// Its number among the new objects, in the order in which links were handed out.
    pub number: u32,
    /// The object.
    pub row: C,
}

/// The new objects of one thread, and numbers for the next ones.
struct Shard<C> {
    young: Vec<Young<C>>,
    numbers: Range<u32>,
}

/// The new objects of a class that a running kernel makes, one list per thread.
pub struct Nursery<C> {
    shards: Vec<Mutex<Shard<C>>>,
    next: AtomicU32,
    /// The number of the current thread.
    thread: fn() -> usize,
}

impl<C> Nursery<C> {
    /// Numbers are given to threads in groups of this size.
    const GROUP: u32 = 256;
    /// The largest number of new objects.
    const MOST: u32 = 1 << 31;

    /// A nursery for threads below `threads`; `thread` numbers them.
    #[must_use]
    pub fn new(threads: usize, thread: fn() -> usize) -> Self {
        let shard = |_| Mutex::new(Shard { young: Vec::new(), numbers: 0..0 });
        Self { shards: (0..threads.max(1)).map(shard).collect(), next: AtomicU32::new(0), thread }
    }

    /// The index by which a link names the new object with this number until the kernel ends. It is beyond all objects.
    #[must_use]
    pub const fn index(number: u32) -> u32 {
        u32::MAX - 2 - number
    }

    /// The number behind such an index.
    #[must_use]
    pub const fn number(index: u32) -> u32 {
        (u32::MAX - 2).wrapping_sub(index)
    }

    /// Adds a new object, and returns its number.
    ///
    /// # Panics
    ///
    /// If there are too many.
    #[track_caller]
    pub fn push(&self, maker: (u32, u32), row: C) -> u32 {
        let shard = &self.shards[(self.thread)() % self.shards.len()];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let number = match shard.numbers.next() {
            Some(number) => number,
            None => {
                let first = self.next.fetch_add(Self::GROUP, Relaxed);
                assert!(first < Self::MOST, "a kernel makes at most 2^31 objects of a class");
                shard.numbers = first + 1..first + Self::GROUP;
                first
            }
        };
        shard.young.push(Young { maker, number, row });
        number
    }

    /// All new objects, in the order of their makers, then of the calls; and the end of their numbers.
    pub fn take(&mut self) -> (Vec<Young<C>>, u32) {
        let mut all = Vec::new();
        for shard in &mut self.shards {
            let shard = shard.get_mut().unwrap_or_else(PoisonError::into_inner);
            shard.numbers = 0..0;
            let mut young = mem::take(&mut shard.young);
            if all.is_empty() { all = young } else { all.append(&mut young) }
        }
        // A maker's objects are in one list, in the order of its calls.
        all.sort_by_key(|young| young.maker);
        (all, mem::take(self.next.get_mut()))
    }
}
