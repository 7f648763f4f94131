//! Races: two accesses to the same memory by different threads, one of them a write, not both atomic, and no order
//! between them.
//!
//! An order between threads comes from barriers (of the block), from `bar.warp.sync` (of the warp), and from fences. An
//! access is ordered before another if its block executed a fence after it, and the other one's block a fence after
//! that. PTX promises less: it also requires an atomic operation between the fences. So no false race is reported, and
//! some races are missed.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard,
        atomic::{
            AtomicBool, AtomicU64,
            Ordering::{Relaxed, SeqCst},
        },
    },
};

use crate::memory::shadow::{Entry, Pair, TIMES};

/// Fences of all blocks of a launch: each on the block's clock and on the launch's.
#[derive(Default)]
pub(crate) struct Fences {
    clock: AtomicU64,
    any: AtomicBool,
    /// A block's clock has overflowed: later fences are unknown, so all blocks count as ordered.
    exhausted: AtomicBool,
    blocks: Mutex<HashMap<u64, Vec<(u32, u64)>>>,
}

impl Fences {
    fn add(&self, block: u64, time: u32) {
        let now = self.clock.fetch_add(1, SeqCst);
        self.any.store(true, SeqCst);
        self.blocks.lock().expect("no holder of the lock panics").entry(block).or_default().push((time, now));
    }

    /// Whether the other block executed a fence after its time, and this one a fence after that.
    fn order(&self, other: u64, time: u32, own: u64) -> bool {
        if self.exhausted.load(Relaxed) {
            return true;
        }
        if !self.any.load(Relaxed) {
            return false;
        }
        let blocks = self.blocks.lock().expect("no holder of the lock panics");
        let Some(fences) = blocks.get(&other) else { return false };
        let Some(&(_, released)) = fences.get(fences.partition_point(|&(at, _)| at <= time)) else { return false };
        blocks.get(&own).and_then(|fences| fences.last()).is_some_and(|&(_, acquired)| acquired > released)
    }

    fn has(&self, block: u64) -> bool {
        self.any.load(Relaxed) && self.blocks.lock().expect("no holder of the lock panics").contains_key(&block)
    }
}

/// Locks that join an atomic operation and its note into one step, so that memory and notes agree about the last one.
/// Without them, a block that saw another one's update could find that update noted after its own. Then a later store
/// would look like a race with an update that it follows.
pub(crate) struct Updates([Mutex<()>; UPDATES]);

const UPDATES: usize = 64;

impl Updates {
    pub(crate) fn new() -> Self {
        Self([const { Mutex::new(()) }; UPDATES])
    }

    /// Waits until no other thread updates the word at the address, or one of those that share its lock.
    pub(crate) fn lock(&self, address: u64) -> MutexGuard<'_, ()> {
        self.0[(address / 8) as usize % UPDATES].lock().expect("no holder of the lock panics")
    }
}

/// A block's clock, and the time at which its threads were last ordered.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    /// The launch's number.
    pub(crate) launch: u32,
    /// The block's number.
    pub(crate) block: u64,
    /// The number of the block's first thread.
    pub(crate) first: u64,
    /// Threads of a block.
    pub(crate) threads: u64,
    /// The time.
    pub(crate) time: u32,
    /// The time since which the threads of the last barrier are ordered.
    pub(crate) barrier: u32,
    /// Times of fences.
    pub(crate) fences: Vec<u32>,
    /// Whether races are looked for.
    pub(crate) enabled: bool,
}

/// A race: the other thread, and its access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Race {
    pub(crate) thread: u64,
    pub(crate) access: &'static str,
}

impl Clock {
    /// An event that orders threads: the time after it.
    pub(crate) fn tick(&mut self) -> u32 {
        self.time += 1;
        if self.time >= TIMES {
            // Later accesses cannot be told apart.
            self.enabled = false;
        }
        self.time
    }

    /// A fence of one of the block's threads.
    pub(crate) fn fence(&mut self, fences: &Fences, device: bool) {
        let time = self.tick();
        if self.enabled {
            self.fences.push(time);
            if device {
                fences.add(self.block, time);
            }
        } else {
            fences.exhausted.store(true, SeqCst);
        }
    }

    /// Whether the access is ordered before the thread's current one. `sync` is the time since which the warp is
    /// ordered.
    #[inline]
    fn orders(&self, entry: Entry, thread: u64, sync: u32, fences: &Fences) -> bool {
        let other = entry.thread().wrapping_sub(self.first);
        if other < self.threads {
            let time = entry.time();
            if time < self.barrier || other / 32 == (thread - self.first) / 32 && time < sync {
                return true;
            }
            // Two fences since: one after the access, one before this one.
            return self.fences.len() - self.fences.partition_point(|&at| at <= time) >= 2;
        }
        fences.order(entry.thread() / self.threads, entry.time(), self.block)
    }

    /// Notes a load.
    #[inline(always)]
    pub(crate) fn read(&self, pair: &Pair, thread: u64, sync: u32, atomic: bool, fences: &Fences) -> Option<Race> {
        let write = Entry(pair.write.load(Relaxed));
        if write.launch() == self.launch
            && write.thread() != thread
            && !(atomic && write.is_atomic())
            && !self.orders(write, thread, sync, fences)
        {
            return Some(Race { thread: write.thread(), access: if write.is_atomic() { "updated" } else { "wrote" } });
        }
        let read = Entry(pair.read.load(Relaxed));
        let own = Entry::new(self.launch, thread, self.time, atomic);
        if read == own {
            return None;
        }
        let new = self.joined(read, own, thread, sync, fences);
        if new != read {
            pair.read.store(new.0, Relaxed);
        }
        None
    }

    /// The entry of reads with one more.
    #[inline(always)]
    fn joined(&self, read: Entry, own: Entry, thread: u64, sync: u32, fences: &Fences) -> Entry {
        if read.launch() != self.launch {
            return own;
        }
        let plain = |entry: Entry| if read.is_atomic() && own.is_atomic() { entry } else { entry.and_plain() };
        if read.has_several_blocks() {
            return plain(read);
        }
        if read.thread() == thread && !read.has_several_threads() {
            return plain(own);
        }
        if read.thread().wrapping_sub(self.first) >= self.threads {
            return if self.orders(read, thread, sync, fences) { own } else { plain(read.and_blocks()) };
        }
        if self.orders(read, thread, sync, fences) {
            return own;
        }
        plain(Entry::new(self.launch, read.thread(), self.time, true).and_threads())
    }

    /// Notes a store, or an atomic operation.
    #[inline(always)]
    pub(crate) fn write(&self, pair: &Pair, thread: u64, sync: u32, atomic: bool, fences: &Fences) -> Option<Race> {
        let write = Entry(pair.write.load(Relaxed));
        if write.launch() == self.launch
            && write.thread() != thread
            && !(atomic && write.is_atomic())
            && !self.orders(write, thread, sync, fences)
        {
            return Some(Race { thread: write.thread(), access: if write.is_atomic() { "updated" } else { "wrote" } });
        }
        let read = Entry(pair.read.load(Relaxed));
        if read.0 != 0 {
            if read.launch() == self.launch
                && !(atomic && read.is_atomic())
                && let Some(race) = self.after_reads(read, thread, sync, fences)
            {
                return Some(race);
            }
            pair.read.store(0, Relaxed);
        }
        let own = Entry::new(self.launch, thread, self.time, atomic);
        if write != own {
            pair.write.store(own.0, Relaxed);
        }
        None
    }

    fn after_reads(&self, read: Entry, thread: u64, sync: u32, fences: &Fences) -> Option<Race> {
        let race = Some(Race { thread: read.thread(), access: "read" });
        if read.has_several_blocks() {
            // The blocks are not known. With fences, they may all be ordered.
            return if fences.has(self.block) { None } else { race };
        }
        let is_other = read.thread() != thread || read.has_several_threads();
        if is_other && !self.orders(read, thread, sync, fences) { race } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(block: u64) -> Clock {
        Clock { launch: 1, block, first: block * 64, threads: 64, time: 1, barrier: 0, fences: vec![], enabled: true }
    }

    #[test]
    fn barriers_order_a_block() {
        let (fences, pair) = (Fences::default(), Pair::default());
        let mut a = clock(0);
        assert_eq!(a.write(&pair, 3, 0, false, &fences), None);
        assert_eq!(a.read(&pair, 3, 0, false, &fences), None);
        assert_eq!(a.read(&pair, 40, 0, false, &fences), Some(Race { thread: 3, access: "wrote" }));
        a.barrier = a.tick();
        assert_eq!(a.read(&pair, 40, 0, false, &fences), None);
        assert_eq!(a.read(&pair, 41, 0, false, &fences), None);
        assert_eq!(a.write(&pair, 40, 0, false, &fences), Some(Race { thread: 40, access: "read" }));
        a.barrier = a.tick();
        assert_eq!(a.write(&pair, 5, 0, false, &fences), None);
    }

    #[test]
    fn synchronised_warps_are_ordered_and_others_are_not() {
        let (fences, pair) = (Fences::default(), Pair::default());
        let mut a = clock(0);
        assert_eq!(a.write(&pair, 3, 0, false, &fences), None);
        let sync = a.tick();
        assert_eq!(a.read(&pair, 4, sync, false, &fences), None);
        assert!(a.read(&pair, 40, sync, false, &fences).is_some());
    }

    #[test]
    fn blocks_are_ordered_by_fences_on_both_sides() {
        let (fences, pair) = (Fences::default(), Pair::default());
        let (mut a, mut b) = (clock(0), clock(1));
        assert_eq!(a.write(&pair, 3, 0, false, &fences), None);
        assert!(b.write(&pair, 70, 0, false, &fences).is_some());
        b.fence(&fences, true);
        a.fence(&fences, true);
        assert!(b.read(&pair, 70, 0, false, &fences).is_some());
        b.fence(&fences, true);
        assert_eq!(b.read(&pair, 70, 0, false, &fences), None);
    }

    #[test]
    fn clocks_that_came_to_their_end_order_everything() {
        let (fences, pair) = (Fences::default(), Pair::default());
        let (mut a, b) = (clock(0), clock(1));
        assert_eq!(a.write(&pair, 3, 0, false, &fences), None);
        assert!(b.read(&pair, 70, 0, false, &fences).is_some());
        a.time = TIMES;
        a.fence(&fences, true);
        assert!(!a.enabled);
        assert_eq!(b.read(&pair, 70, 0, false, &fences), None);
    }

    #[test]
    fn atomics_do_not_race_with_atomics() {
        let (fences, pair) = (Fences::default(), Pair::default());
        let (a, b) = (clock(0), clock(1));
        assert_eq!(a.write(&pair, 3, 0, true, &fences), None);
        assert_eq!(b.write(&pair, 70, 0, true, &fences), None);
        assert_eq!(b.read(&pair, 71, 0, true, &fences), None);
        assert_eq!(a.write(&pair, 4, 0, true, &fences), None);
        assert_eq!(b.read(&pair, 71, 0, false, &fences), Some(Race { thread: 4, access: "updated" }));
    }

    #[test]
    fn reads_of_several_blocks_race_with_a_write() {
        let (fences, pair) = (Fences::default(), Pair::default());
        let (a, b) = (clock(0), clock(1));
        assert_eq!(a.read(&pair, 3, 0, false, &fences), None);
        assert_eq!(b.read(&pair, 70, 0, false, &fences), None);
        assert!(a.write(&pair, 3, 0, false, &fences).is_some());
    }
}
