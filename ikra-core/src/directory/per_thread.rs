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
pub(super) struct Slot<T> {
    /// The thread's number, or 0.
    owner: AtomicU64,
    value: UnsafeCell<T>,
}

/// One `T` per thread: slots, as many as a power of two, and one more for threads that find none.
pub(super) struct PerThread<T> {
    slots: Vec<Slot<T>>,
    threads: usize,
    /// Held by the thread that uses the last slot.
    spare: Mutex<()>,
}

// SAFETY: `with` gives a slot's value to its owner alone, which is a single thread, and the last slot's to the thread that
// holds the lock. Values may go to other threads.
unsafe impl<T: Send> Sync for PerThread<T> {}

impl<T: Default> PerThread<T> {
    /// Values for this number of threads.
    pub(super) fn new(threads: usize) -> Self {
        let count = threads.next_power_of_two() + 1;
        let mut slots = Vec::with_capacity(count);
        for _ in 0..count {
            slots.push(Slot { owner: AtomicU64::new(0), value: UnsafeCell::default() });
        }
        Self { slots, threads, spare: Mutex::new(()) }
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
        let last = self.slots.len() - 1;
        let first = current as usize & (last - 1);
        for n in 0..last {
            let slot = &self.slots[(first + n) & (last - 1)];
            let owner = slot.owner.load(Relaxed);
            if owner == current || (owner == 0 && slot.owner.compare_exchange(0, current, Relaxed, Relaxed).is_ok()) {
                // SAFETY: only the owner gets here, and not again before `work` returns, by the caller. The owner
                // changes in `all` only, which excludes other accesses.
                return work(unsafe { &mut *slot.value.get() });
            }
        }
        let _held = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: only the thread that holds the lock gets here, and not again before `work` returns, by the caller.
        work(unsafe { &mut *self.slots[last].value.get() })
    }

    /// The slots of all threads.
    pub(super) fn all(&mut self) -> core::slice::IterMut<'_, Slot<T>> {
        self.slots.iter_mut()
    }
}

impl<T> Slot<T> {
    /// The value, which the next thread to come may take.
    pub(super) fn get_mut(&mut self) -> &mut T {
        *self.owner.get_mut() = 0;
        self.value.get_mut()
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
            let len: usize = numbers.all().map(|numbers| numbers.get_mut().len()).sum();
            assert_eq!(len, 4000);
            let all = numbers.all().map(Slot::get_mut);
            let shared = all.filter(|numbers| numbers.iter().any(|number| *number != numbers[0])).count();
            assert!(shared <= usize::from(slots < 4), "only the spare one serves several threads");
        }
    }
}
