//! What a running kernel leaves to be done when it ends, on the host: objects to make, and fields to store.

use core::mem;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::boxed::Box;
use std::sync::{Mutex, PoisonError};
use std::vec::Vec;

use super::per_thread::PerThread;
use crate::moves::{Moves, YOUNG_END};

/// A thread's new objects.
struct Shard<C> {
    makers: Makers,
    rows: Vec<Option<C>>,
}

impl<C> Default for Shard<C> {
    fn default() -> Self {
        Self { makers: Makers::default(), rows: Vec::new() }
    }
}

/// The makers of a thread's new objects, and the objects' numbers.
#[derive(Default)]
struct Makers {
    /// The section and the index of each object's maker, as one number.
    of: Vec<u64>,
    /// The first number of each group of objects.
    groups: Vec<u32>,
}

/// Numbers are given to threads in groups of this size.
const GROUP: usize = 256;

/// The number of the object at a place of a shard with these groups.
fn number(groups: &[u32], at: usize) -> u32 {
    groups[at / GROUP] + (at % GROUP) as u32
}

/// New objects that one thread made, in their order. They follow one another among all new ones.
struct Batch<'a, C> {
    /// The position of the first among all new objects.
    first: usize,
    /// The place of the first in its shard, with the shard's numbers.
    at: usize,
    groups: &'a [u32],
    rows: Mutex<&'a mut [Option<C>]>,
}

/// More objects than this are several batches.
const MOST: usize = 2048;

/// New objects in their order: that of their makers, then of the calls.
pub struct Batches<'a, C> {
    batches: Vec<Batch<'a, C>>,
    order: Vec<usize>,
}

impl<C> Batches<'_, C> {
    /// The number of batches.
    #[must_use]
    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// Calls `write` with each object of the batch at a place in the order, unless that was done before: its position among
    /// all new objects, its number in the order in which links were handed out, and its row. Several threads may do so.
    ///
    /// # Errors
    ///
    /// The first error of `write`. The other objects stay.
    ///
    /// # Panics
    ///
    /// If there is no such batch.
    pub fn try_for_each<E>(
        &self,
        place: usize,
        mut write: impl FnMut(usize, u32, C) -> Result<(), E>,
    ) -> Result<(), E> {
        let Batch { first, at, groups, rows } = &self.batches[self.order[place]];
        for (n, row) in rows.lock().unwrap_or_else(PoisonError::into_inner).iter_mut().enumerate() {
            if let Some(row) = row.take() {
                write(first + n, number(groups, at + n), row)?;
            }
        }
        Ok(())
    }
}

/// Some objects of a shard, whose makers ascend.
struct Part {
    shard: usize,
    /// The place of its first object in the shard.
    at: usize,
    /// The first maker, and the last one.
    makers: (u64, u64),
    len: usize,
    /// The position of the first among all new objects.
    first: usize,
}

/// The parts of all shards, and their order: that of their makers, then of the calls.
fn ordered(shards: &[&Makers]) -> (Vec<Part>, Vec<usize>) {
    // A maker's objects are in one shard, in the order of its calls. A thread's makers ascend while it works on one part
    // of the objects. Only a kernel that waits for other work of its thread may mix two parts.
    let mut ends: Vec<_> = divided(shards, true, usize::MAX).iter().map(|part| part.makers).collect();
    ends.sort_unstable();
    let are_apart = ends.windows(2).all(|parts| parts[0].1 < parts[1].0);
    let mut parts = divided(shards, are_apart, MOST);
    let mut order: Vec<_> = (0..parts.len()).collect();
    order.sort_by_key(|&part| parts[part].makers);
    let mut first = 0;
    for &part in &order {
        parts[part].first = first;
        first += parts[part].len;
    }
    (parts, order)
}

/// The parts of all shards: ascending makers, at most `most` of them, or each maker by itself.
fn divided(shards: &[&Makers], ascend: bool, most: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    for (shard, makers) in shards.iter().enumerate() {
        let mut at = 0;
        for part in makers.of.chunk_by(|before, after| ascend && before <= after).flat_map(|part| part.chunks(most)) {
            parts.push(Part { shard, at, makers: (part[0], part[part.len() - 1]), len: part.len(), first: 0 });
            at += part.len();
        }
    }
    parts
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
            let shard = shard.get_mut();
            shard.makers.of.clear();
            shard.makers.groups.clear();
            shard.rows.clear();
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
                shard.makers.groups.push(self.next.fetch_update(Relaxed, Relaxed, next).ok()?);
            }
            shard.makers.of.push(u64::from(maker.0) << 32 | u64::from(maker.1));
            shard.rows.push(Some(row));
            Some(number(&shard.makers.groups, at))
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
        let mut count = 0;
        for shard in self.shards.all() {
            count += shard.get_mut().rows.len();
        }
        count
    }

    /// All new objects.
    pub fn batches(&mut self) -> Batches<'_, C> {
        let (mut makers, mut all_rows) = (Vec::new(), Vec::new());
        for shard in self.shards.all() {
            let Shard { makers: of_shard, rows } = shard.get_mut();
            makers.push(&*of_shard);
            all_rows.push(&mut rows[..]);
        }
        let (parts, order) = ordered(&makers);
        let mut batches = Vec::with_capacity(parts.len());
        for part in parts {
            let rest = mem::take(&mut all_rows[part.shard]);
            let (rows, others) = rest.split_at_mut(part.len);
            all_rows[part.shard] = others;
            let (groups, rows) = (&makers[part.shard].groups[..], Mutex::new(rows));
            batches.push(Batch { first: part.first, at: part.at, groups, rows });
        }
        Batches { batches, order }
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
        let mut all: Vec<_> = self.0.all().flat_map(|stores| mem::take(stores.get_mut())).collect();
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
        let mut rows = Vec::new();
        for batch in 0..batches.count() {
            let added = batches.try_for_each(batch, |position, _, row| {
                assert_eq!(position, rows.len(), "positions follow one another");
                rows.push(row);
                Ok::<_, ()>(())
            });
            added.unwrap();
        }
        rows
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
