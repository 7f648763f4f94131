//! What a running kernel leaves to be done when it ends, on the host: objects to make, and fields to store.

use core::mem;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::boxed::Box;
use std::vec::Vec;

use super::per_thread::PerThread;
use crate::moves::{Moves, YOUNG_END};

/// A thread's new objects.
struct Shard<C> {
    /// The section and the index of each object's maker, as one number.
    makers: Vec<u64>,
    rows: Vec<Option<C>>,
    /// The first number of each group of them.
    groups: Vec<u32>,
}

impl<C> Default for Shard<C> {
    fn default() -> Self {
        Self { makers: Vec::new(), rows: Vec::new(), groups: Vec::new() }
    }
}

/// Numbers are given to threads in groups of this size.
const GROUP: usize = 256;

/// The number of the object at a place of a shard with these groups.
fn number(groups: &[u32], at: usize) -> u32 {
    groups[at / GROUP] + (at % GROUP) as u32
}

/// New objects that one thread made, in their order. They follow one another among all new ones.
pub struct Batch<'a, C> {
    makers: (u64, u64),
    /// The position of the first among all new objects.
    first: usize,
    /// The place of the first in its shard, with the shard's numbers.
    at: usize,
    groups: &'a [u32],
    rows: &'a mut [Option<C>],
}

impl<'a, C> Batch<'a, C> {
    /// More objects than this are several batches.
    const MOST: usize = 2048;

    /// The objects: position among all new objects, number in the order in which links were handed out, row.
    pub fn into_rows(self) -> impl Iterator<Item = (usize, u32, C)> + 'a {
        let Self { first, at, groups, rows, .. } = self;
        let rows = rows.iter_mut().enumerate();
        rows.filter_map(move |(n, row)| Some((first + n, number(groups, at + n), row.take()?)))
    }
}

/// The new objects of a class that a running kernel makes.
pub struct Nursery<C> {
    shards: PerThread<Shard<C>>,
    next: AtomicU32,
    /// The index by which links name number 0 until the kernel ends; those of later numbers descend.
    first: u32,
    /// Whether a kernel runs that may make objects.
    is_open: bool,
}

impl<C> Nursery<C> {
    /// A nursery for kernels on this number of threads, for a class whose indices end at `slots`.
    #[must_use]
    pub fn new(threads: usize, slots: usize) -> Self {
        let mut new = Self { shards: PerThread::new(threads), next: AtomicU32::new(0), first: 0, is_open: false };
        new.open(threads, slots);
        new
    }

    /// Opens it again, for another kernel. It keeps its memory.
    pub fn open(&mut self, threads: usize, slots: usize) {
        let end = if slots < YOUNG_END as usize / 2 { YOUNG_END } else { u32::MAX };
        self.first = end - 2;
        if self.shards.threads() != threads {
            self.shards = PerThread::new(threads);
        }
        self.is_open = true;
    }

    /// Forgets all objects. Nothing is pushed until it is opened again.
    pub fn close(&mut self) {
        self.is_open = false;
        *self.next.get_mut() = 0;
        for shard in self.shards.all() {
            shard.makers.clear();
            shard.rows.clear();
            shard.groups.clear();
        }
    }

    /// Whether a kernel runs that may make objects.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.is_open
    }

    /// The index by which links name number 0 until the kernel ends. It is beyond all objects.
    #[must_use]
    pub const fn first(&self) -> u32 {
        self.first
    }

    /// Adds a new object, and returns the index by which links name it until the kernel ends.
    ///
    /// # Panics
    ///
    /// If there are too many.
    #[track_caller]
    pub fn push(&self, maker: (u32, u32), row: C) -> u32 {
        let push = |shard: &mut Shard<C>| {
            let at = shard.rows.len();
            if at.is_multiple_of(GROUP) {
                let next = |first: u32| (first < self.end()).then_some(first + GROUP as u32);
                shard.groups.push(self.next.fetch_update(Relaxed, Relaxed, next).ok()?);
            }
            shard.makers.push(u64::from(maker.0) << 32 | u64::from(maker.1));
            shard.rows.push(Some(row));
            Some(number(&shard.groups, at))
        };
        // SAFETY: it calls no code of the program, which has the nursery.
        match unsafe { self.shards.with(push) } {
            Some(number) => self.first - number,
            None => panic!("a kernel makes at most {} objects of a class", self.end()),
        }
    }

    /// The end of the numbers at which groups begin: all of a group name indices that may be those of new objects.
    const fn end(&self) -> u32 {
        self.first / 2 - GROUP as u32
    }

    /// The end of the numbers of new objects.
    pub fn numbers(&mut self) -> u32 {
        *self.next.get_mut()
    }

    /// The number of new objects.
    pub fn count(&mut self) -> usize {
        self.shards.all().map(|shard| shard.rows.len()).sum()
    }

    /// All new objects in their order: that of their makers, then of the calls.
    pub fn batches(&mut self) -> Vec<Batch<'_, C>> {
        let mut batches = Vec::new();
        // A maker's objects are in one shard, in the order of its calls. A thread's makers ascend while it works on
        // one part of the objects. Only a kernel that waits for other work of its thread may mix two parts.
        if self.are_parts_apart() {
            self.split(|before, after| before <= after, &mut batches);
        } else {
            self.split(|_, _| false, &mut batches);
        }
        batches.sort_by_key(|batch| batch.makers);
        let mut first = 0;
        for batch in &mut batches {
            batch.first = first;
            first += batch.rows.len();
        }
        batches
    }

    /// Whether parts of shards in which makers ascend have no makers in between those of others.
    fn are_parts_apart(&mut self) -> bool {
        let shards = self.shards.all();
        let parts = shards.flat_map(|shard| shard.makers.chunk_by(|before, after| before <= after));
        let mut ends: Vec<_> = parts.map(|part| (part[0], part[part.len() - 1])).collect();
        ends.sort_unstable();
        ends.windows(2).all(|parts| parts[0].1 < parts[1].0)
    }

    /// Adds batches of objects whose makers satisfy a condition pair by pair.
    fn split<'a>(&'a mut self, is_one: impl Fn(u64, u64) -> bool, batches: &mut Vec<Batch<'a, C>>) {
        for shard in self.shards.all() {
            let (mut at, mut rest) = (0, &mut shard.rows[..]);
            let parts = shard.makers.chunk_by(|&before, &after| is_one(before, after));
            for makers in parts.flat_map(|part| part.chunks(Batch::<C>::MOST)) {
                let (rows, others) = rest.split_at_mut(makers.len());
                rest = others;
                let ends = (makers[0], makers[makers.len() - 1]);
                batches.push(Batch { makers: ends, first: 0, at, groups: &shard.groups, rows });
                at += makers.len();
            }
        }
    }
}

/// Stores a field of the object at an index, given the address of its class's bases, and the changes of links.
pub(super) type Store = Box<dyn FnOnce(*const (), usize, Moves<'_>) + Send>;

/// The fields of a kernel's own objects that are stored when it ends.
pub struct Late(PerThread<Vec<(u32, Store)>>);

impl Late {
    /// None, for kernels on this number of threads.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        Self(PerThread::new(threads))
    }

    /// Adds a store to a field of the object at `index`.
    ///
    /// # Safety
    ///
    /// The function is sound to call with the address of the bases of the table in which this value is, for an object
    /// that exists, if nothing else accesses it.
    pub unsafe fn push(&self, index: u32, store: Store) {
        // SAFETY: it calls no code of the program, which has the stores.
        unsafe { self.0.with(|stores| stores.push((index, store))) }
    }

    /// All stores, in the order of the objects, then of the calls.
    #[must_use]
    pub fn take(&mut self) -> Vec<(u32, Store)> {
        let mut all: Vec<_> = self.0.all().flat_map(mem::take).collect();
        all.sort_by_key(|&(index, _)| index);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The makers of all objects in their order, with the order of the calls.
    fn in_order(nursery: &mut Nursery<(u32, u32)>) -> Vec<(u32, u32)> {
        let batches = nursery.batches();
        let rows: Vec<_> = batches.into_iter().flat_map(Batch::into_rows).collect();
        assert!(rows.iter().map(|row| row.0).eq(0..rows.len()), "positions follow one another");
        rows.into_iter().map(|(_, _, row)| row).collect()
    }

    #[test]
    fn objects_are_in_the_order_of_their_makers() {
        let calls = |makers: std::ops::Range<u32>| makers.flat_map(|maker| (0..maker % 3).map(move |n| (maker, n)));
        let mut nursery = Nursery::new(2, 5);
        let parts = |nursery: &Nursery<(u32, u32)>, parts: &[(u32, u32)]| {
            for row in parts.iter().flat_map(|&(first, end)| calls(first..end)) {
                nursery.push((0, row.0), row);
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| parts(&nursery, &[(9000, 12_000), (0, 40)]));
            scope.spawn(|| parts(&nursery, &[(40, 9000)]));
        });
        assert_eq!(in_order(&mut nursery), calls(0..12_000).collect::<Vec<_>>());
        // A thread that works on another part in the middle of one.
        nursery.close();
        nursery.open(2, 5);
        parts(&nursery, &[(0, 5000), (7000, 9000), (5000, 7000), (9000, 9900)]);
        assert_eq!(in_order(&mut nursery), calls(0..9900).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_end() {
        let nursery = Nursery::<()>::new(1, 5);
        let most = nursery.end();
        nursery.next.store(most - 1, Relaxed);
        let last = (0..GROUP).map(|_| nursery.push((0, 0), ())).last();
        assert!(last.is_some_and(|last| last > most / 2));
        for _ in 0..3 {
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| nursery.push((0, 0), ())));
            assert!(panicked.is_err(), "there are too many");
            assert_eq!(nursery.next.load(Relaxed), most - 1 + GROUP as u32, "no number comes twice");
        }
    }

    #[test]
    fn all_links_to_new_objects_may_be_young() {
        for slots in [0, 5, YOUNG_END as usize / 2, 1 << 30] {
            let first = Nursery::<()>::new(1, slots).first();
            assert!(first as usize / 2 >= slots.min(YOUNG_END as usize / 2));
            assert!(crate::moves::may_be_young(first) && crate::moves::may_be_young(first - (first / 2 - 2)));
        }
    }
}
