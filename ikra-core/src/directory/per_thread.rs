//! One value per thread, without a lock.

use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::vec::Vec;

/// The number of the current thread. No other thread of the process ever has it.
fn current() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    std::thread_local! {
        static NUMBER: Cell<u64> = const { Cell::new(0) };
    }
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Relaxed));
        }
        number.get()
    })
}

/// A value for the thread that takes it first.
struct Slot<T> {
    /// The thread's number, or 0.
    owner: AtomicU64,
    value: UnsafeCell<T>,
}

/// One `T` per thread. The number of slots is a power of two.
pub(super) struct PerThread<T> {
    slots: Vec<Slot<T>>,
    threads: usize,
    /// For threads that find no slot.
    spare: Mutex<T>,
}

// SAFETY: `with` gives a slot's value to its owner alone, which is a single thread. Values may go to other threads.
unsafe impl<T: Send> Sync for PerThread<T> {}

impl<T: Default> PerThread<T> {
    /// Values for this number of threads.
    pub(super) fn new(threads: usize) -> Self {
        let slot = || Slot { owner: AtomicU64::new(0), value: UnsafeCell::default() };
        let slots = (0..threads.next_power_of_two()).map(|_| slot()).collect();
        Self { slots, threads, spare: Mutex::default() }
    }

    /// The number of threads for which it was made.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Calls `work` with the value of the current thread.
    ///
    /// # Safety
    ///
    /// `work` does not call this function for the same `PerThread`.
    #[inline]
    pub(super) unsafe fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let current = current();
        let first = current as usize & (self.slots.len() - 1);
        let (before, after) = self.slots.split_at(first);
        for slot in after.iter().chain(before) {
            let owner = slot.owner.load(Relaxed);
            if owner == current || (owner == 0 && slot.owner.compare_exchange(0, current, Relaxed, Relaxed).is_ok()) {
                // SAFETY: only the owner gets here, and not again before `work` returns, by the caller. The owner
                // changes in `all` only, which excludes other accesses.
                return work(unsafe { &mut *slot.value.get() });
            }
        }
        work(&mut self.spare.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The values of all threads. The next thread to come may take any of them.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut T> {
        let own = self.slots.iter_mut().map(|slot| {
            *slot.owner.get_mut() = 0;
            slot.value.get_mut()
        });
        own.chain([self.spare.get_mut().unwrap_or_else(PoisonError::into_inner)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_one_value() {
        for slots in [0, 1, 2, 8] {
            let mut numbers = PerThread::<Vec<u64>>::new(slots);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for _ in 0..1000 {
                            // SAFETY: it calls nothing.
                            unsafe { numbers.with(|numbers| numbers.push(current())) };
                        }
                    });
                }
            });
            let len: usize = numbers.all().map(|numbers| numbers.len()).sum();
            assert_eq!(len, 4000);
            let shared = numbers.all().filter(|numbers| numbers.iter().any(|number| *number != numbers[0])).count();
            assert!(shared <= usize::from(slots < 4), "only the spare one serves several threads");
        }
    }
}
