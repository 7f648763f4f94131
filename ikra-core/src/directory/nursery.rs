//! What a running kernel leaves to be done when it ends, on the host: objects to make, and fields to store.

use core::mem;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::boxed::Box;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use crate::moves::{Moves, YOUNG_END};

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

    /// That of the current thread, and its number.
    fn own(&self) -> (MutexGuard<'_, T>, u32) {
        let number = (self.1.current)() % self.0.len();
        (self.0[number].lock().unwrap_or_else(PoisonError::into_inner), number as u32)
    }

    /// Those of all threads.
    fn all(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|own| own.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A new object in a nursery. They are in the order of their makers, then of the calls.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The section and the index of its maker.
    maker: (u32, u32),
    /// Its number among the new objects, in the order in which links were handed out.
    pub number: u32,
    shard: u32,
    at: u32,
}

/// A thread's new objects, and numbers for the next ones.
struct Shard<C> {
    places: Vec<Place>,
    rows: Vec<Option<C>>,
    numbers: Range<u32>,
}

impl<C> Default for Shard<C> {
    fn default() -> Self {
        Self { places: Vec::new(), rows: Vec::new(), numbers: 0..0 }
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

    /// A nursery for kernels on these threads, for a class whose indices end at `slots`.
    #[must_use]
    pub fn new(threads: Threads, slots: usize) -> Self {
        let mut new = Self { shards: PerThread::new(threads), next: AtomicU32::new(0), first: 0, is_open: false };
        new.open(threads, slots);
        new
    }

    /// Opens it again, for another kernel. It keeps its memory.
    pub fn open(&mut self, threads: Threads, slots: usize) {
        let end = if slots < YOUNG_END as usize / 2 { YOUNG_END } else { u32::MAX };
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
        for shard in self.shards.all() {
            shard.places.clear();
            shard.rows.clear();
            shard.numbers = 0..0;
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
        let (mut own, number_of_shard) = self.shards.own();
        let shard = &mut *own;
        let number = match shard.numbers.next() {
            Some(number) => number,
            None => {
                let end = self.end();
                let next = |first: u32| (first < end).then_some(first + Self::GROUP);
                let Ok(first) = self.next.fetch_update(Relaxed, Relaxed, next) else {
                    panic!("a kernel makes at most {end} objects of a class")
                };
                shard.numbers = first + 1..first + Self::GROUP;
                first
            }
        };
        let at = shard.rows.len() as u32;
        shard.places.push(Place { maker, number, shard: number_of_shard, at });
        shard.rows.push(Some(row));
        self.first - number
    }

    /// The end of the numbers at which groups begin: all of a group name indices that may be those of new objects.
    const fn end(&self) -> u32 {
        self.first / 2 - Self::GROUP
    }

    /// The places of all new objects in their order, and the end of their numbers.
    pub fn places(&mut self) -> (Vec<Place>, u32) {
        let mut places = Vec::new();
        for shard in self.shards.all() {
            places.extend_from_slice(&shard.places);
        }
        in_order(&mut places);
        (places, *self.next.get_mut())
    }

    /// The object at a place, once.
    pub fn row(&mut self, place: Place) -> Option<C> {
        self.shards.all().nth(place.shard as usize)?.rows.get_mut(place.at as usize)?.take()
    }
}

/// Sorts places by their makers. A maker's objects are in one shard, in the order of its calls.
fn in_order(places: &mut [Place]) {
    if !places.is_sorted_by_key(|place| place.maker) {
        places.sort_by_key(|place| place.maker);
    }
}

/// Stores a field of the object at an index, given the address of its class's bases, and the changes of links.
pub(super) type Store = Box<dyn FnOnce(*const (), usize, Moves<'_>) + Send>;

/// The fields of a kernel's own objects that are stored when it ends.
pub struct Late(PerThread<Vec<(u32, Store)>>);

impl Late {
    /// None, for kernels on these threads.
    #[must_use]
    pub fn new(threads: Threads) -> Self {
        Self(PerThread::new(threads))
    }

    /// Adds a store to a field of the object at `index`.
    ///
    /// # Safety
    ///
    /// The function is sound to call with the address of the bases of the table in which this value is, for an object
    /// that exists, if nothing else accesses it.
    pub unsafe fn push(&self, index: u32, store: Store) {
        self.0.own().0.push((index, store));
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

    #[test]
    fn numbers_end() {
        let nursery = Nursery::<()>::new(Threads { count: 1, current: || 0 }, 5);
        let most = nursery.end();
        nursery.next.store(most - 1, Relaxed);
        let last = (0..Nursery::<()>::GROUP).map(|_| nursery.push((0, 0), ())).last();
        assert!(last.is_some_and(|last| last > most / 2));
        for _ in 0..3 {
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| nursery.push((0, 0), ())));
            assert!(panicked.is_err(), "there are too many");
            assert_eq!(nursery.next.load(Relaxed), most - 1 + Nursery::<()>::GROUP, "no number comes twice");
        }
    }

    #[test]
    fn all_links_to_new_objects_may_be_young() {
        for slots in [0, 5, YOUNG_END as usize / 2, 1 << 30] {
            let first = Nursery::<()>::new(Threads { count: 1, current: || 0 }, slots).first();
            assert!(first as usize / 2 >= slots.min(YOUNG_END as usize / 2));
            assert!(crate::moves::may_be_young(first) && crate::moves::may_be_young(first - (first / 2 - 2)));
        }
    }
}
