//! What a running kernel leaves to be done when it ends, on the host: objects to make, and fields to store.

use core::mem;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::boxed::Box;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use crate::info::ClassInfo;
use crate::moves::Moves;

/// The threads on which a kernel may run.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// Their number.
    pub count: usize,
    /// The number of the current one.
    pub current: fn() -> usize,
}

/// One `T` per thread.
struct PerThread<T>(Vec<Mutex<T>>, Threads);

impl<T: Default> PerThread<T> {
    fn new(threads: Threads) -> Self {
        Self((0..threads.count.max(1)).map(|_| Mutex::default()).collect(), threads)
    }

    /// That of the current thread.
    fn own(&self) -> MutexGuard<'_, T> {
        self.0[(self.1.current)() % self.0.len()].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&mut self) -> impl Iterator<Item = T> + '_ {
        self.0.iter_mut().map(|own| mem::take(own.get_mut().unwrap_or_else(PoisonError::into_inner)))
    }
}

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

/// A thread's new objects, and numbers for the next ones.
struct Shard<C> {
    young: Vec<Young<C>>,
    numbers: Range<u32>,
}

impl<C> Default for Shard<C> {
    fn default() -> Self {
        Self { young: Vec::new(), numbers: 0..0 }
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
    /// Numbers are given to threads in groups of this size.
    const GROUP: u32 = 256;
    /// Indices below this fit into links to objects of up to 64 classes.
    const FIT: u32 = 1 << 26;

    /// A nursery for kernels on these threads, for a class whose indices end at `slots`.
    #[must_use]
    pub fn new(threads: Threads, slots: usize) -> Self {
        let mut new = Self { shards: PerThread::new(threads), next: AtomicU32::new(0), first: 0, is_open: false };
        new.open(threads, slots);
        new
    }

    /// Opens it again, for another kernel. It keeps its memory.
    pub fn open(&mut self, threads: Threads, slots: usize) {
        let end = if slots < Self::FIT as usize / 2 { Self::FIT } else { u32::MAX };
        self.first = end - 2;
        if self.shards.0.len() != threads.count {
            self.shards = PerThread::new(threads);
        }
        self.is_open = true;
    }

    /// Forgets all objects. Nothing is pushed until it is opened again.
    pub fn close(&mut self) {
        self.is_open = false;
        *self.next.get_mut() = 0;
        for shard in &mut self.shards.0 {
            let shard = shard.get_mut().unwrap_or_else(PoisonError::into_inner);
            shard.young.clear();
            shard.numbers = 0..0;
        }
    }

    /// Whether a kernel runs that may make objects.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Takes back memory from [`take`](Self::take).
    pub fn give_back(&mut self, mut young: Vec<Young<C>>) {
        young.clear();
        if let Some(shard) = self.shards.0.first_mut() {
            shard.get_mut().unwrap_or_else(PoisonError::into_inner).young = young;
        }
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
        let mut shard = self.shards.own();
        let number = match shard.numbers.next() {
            Some(number) => number,
            None => {
                let first = self.next.fetch_add(Self::GROUP, Relaxed);
                assert!(first < self.first / 2, "a kernel makes at most {} objects of a class", self.first / 2);
                shard.numbers = first + 1..first + Self::GROUP;
                first
            }
        };
        shard.young.push(Young { maker, number, row });
        self.first - number
    }

    /// All new objects, in the order of their makers, then of the calls; and the end of their numbers.
    pub fn take(&mut self) -> (Vec<Young<C>>, u32) {
        let mut all = Vec::new();
        for Shard { mut young, .. } in self.shards.take() {
            if all.is_empty() { all = young } else { all.append(&mut young) }
        }
        // A maker's objects are in one list, in the order of its calls.
        all.sort_by_key(|young| young.maker);
        (all, mem::take(self.next.get_mut()))
    }
}

/// Stores a field of the object at an index, given the changes of links. The object exists.
type Store<C> = Box<dyn FnOnce(&<C as ClassInfo>::Bases, usize, Moves<'_>) + Send>;

/// The fields of a kernel's own objects that are stored when it ends.
pub struct Late<C: ClassInfo>(PerThread<Vec<(u32, Store<C>)>>);

impl<C: ClassInfo> Late<C> {
    /// None, for kernels on these threads.
    #[must_use]
    pub fn new(threads: Threads) -> Self {
        Self(PerThread::new(threads))
    }

    /// Adds a store to a field of the object at `index`.
    ///
    /// # Safety
    ///
    /// The function is sound to call for an object that exists, if nothing else accesses it.
    pub unsafe fn push(&self, index: u32, store: Store<C>) {
        self.0.own().push((index, store));
    }

    /// All stores, in the order of the objects, then of the calls.
    #[must_use]
    pub fn take(&mut self) -> Vec<(u32, Store<C>)> {
        let mut all: Vec<_> = self.0.take().flatten().collect();
        all.sort_by_key(|&(index, _)| index);
        all
    }
}
