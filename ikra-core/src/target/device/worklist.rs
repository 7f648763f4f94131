//! The memory of worklists on the device.

use core::array::from_fn;
use core::cell::Cell;

use super::cells::{AtomicU32, Relaxed};
use super::panics::stray_work;
use super::warp;
use crate::target::WORKLIST_WORDS;

/// So many objects wait at most.
const WAITING: usize = 4;

/// Objects that were found: the list of the next iteration. Each thread has its own, for the same memory.
#[derive(Debug)]
#[repr(C)]
pub struct Found {
    /// For each object the number of the last list that it is in.
    marks: *const AtomicU32,
    /// The number of objects in the list, the list's number, two numbers without use, and the objects.
    list: *const AtomicU32,
    /// The number of objects, of which each has a mark, and a place in the list.
    count: u32,
    // The host passes 0 for the following. `ready` sets all but the objects, which are stored before they are read.
    /// The list's number.
    number: u32,
    /// The threads of the warp that began the kernel together.
    warp: u32,
    /// How many objects wait.
    waiting: Cell<u32>,
    /// These objects, the last one first.
    objects: [Cell<u32>; WAITING],
    /// Whether there was an object that does not exist.
    has_stray: Cell<bool>,
}

// The host passes as many bytes.
const _: () = assert!(size_of::<Found>() == WORKLIST_WORDS * size_of::<u64>());

// SAFETY: the memory is that of a loop, and only atomic operations change it. The cells are in a thread's own memory, and a
// thread cannot pass references to another one.
unsafe impl Sync for Found {}
// SAFETY: all threads of a launch may use the memory.
unsafe impl Send for Found {}

impl Found {
    /// The position of the first object in a list.
    const FIRST: usize = 4;

    /// Begins a kernel.
    #[inline]
    pub(crate) fn ready(&mut self) {
        // SAFETY: a list's own number follows its number of objects, and changes between launches only. It is loaded here, where
        // the thread need not wait for it.
        self.number = unsafe { &*self.list.add(1) }.load(Relaxed);
        self.warp = warp::activemask();
        self.waiting.set(0);
        self.has_stray.set(false);
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Adds an object. Where there is none of this index, the kernel fails at its end: then loops have no other way out, after
    /// which the threads of a warp would not come together again.
    ///
    /// A thread has to wait until an operation on memory that others change is done. So the first objects wait until the kernel
    /// ends, and are then added at the same time.
    #[inline(always)]
    pub(crate) fn insert(&self, index: u32) -> bool {
        let waiting = self.waiting.get();
        if waiting < WAITING as u32 {
            let [first, second, third, fourth] = &self.objects;
            fourth.set(third.get());
            third.set(second.get());
            second.set(first.get());
            first.set(index);
            self.waiting.set(waiting + 1);
        } else if self.mark(index) != self.number {
            self.put(index, self.len().fetch_add(1, Relaxed));
        }
        true
    }

    /// Marks an object. Returns the number of the last list that had it: this one's if there is no such object.
    #[inline(always)]
    fn mark(&self, index: u32) -> u32 {
        if index >= self.count {
            self.has_stray.set(true);
            return self.number;
        }
        // SAFETY: each object has a mark.
        unsafe { &*self.marks.add(index as usize) }.swap(self.number, Relaxed)
    }

    #[inline]
    fn len(&self) -> &AtomicU32 {
        // SAFETY: a list begins with its number of objects.
        unsafe { &*self.list }
    }

    /// Puts an object that is new into the list.
    #[inline(always)]
    fn put(&self, index: u32, place: u32) {
        // SAFETY: each object is put once into a list, which has room for all, and at a place of its own.
        unsafe { &*self.list.add(Self::FIRST + place as usize) }.store(index, Relaxed);
    }
}

/// The result of an operation, as a number that the compiler does not look at before all operations have begun. Where it
/// is looked at, the thread waits.
#[inline(always)]
fn later(mut result: u32) -> u32 {
    // SAFETY: it changes nothing.
    unsafe { core::arch::asm!("mov.b32 {0}, {0};", inout(reg32) result, options(nomem, nostack, preserves_flags)) };
    result
}

impl Drop for Found {
    /// Adds the objects that wait. The threads of a warp count theirs together.
    #[inline(always)]
    fn drop(&mut self) {
        let (warp, lane) = (self.warp, warp::lane_id());
        let objects: [u32; WAITING] = from_fn(|n| self.objects[n].get());
        let before: [u32; WAITING] =
            from_fn(|n| if (n as u32) < self.waiting.get() { self.mark(objects[n]) } else { self.number });
        let is_new = before.map(|before| later(before) != self.number);
        // SAFETY: these threads began the kernel together, and each of them gets here, since a kernel owns its worklist and
        // returns. Threads that have ended are not waited for.
        let [a, b, c, d]: [u32; WAITING] = from_fn(|n| unsafe { warp::ballot(warp, is_new[n]) });
        let sum = a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones();
        if sum > 0 {
            let last = 31 - warp.leading_zeros();
            let first = if lane == last { self.len().fetch_add(sum, Relaxed) } else { 0 };
            // SAFETY: as above; all threads know the same sum.
            let first = unsafe { warp::shuffle(warp, first, last) };
            let lower = (1 << lane) - 1;
            let own = |all: u32| (all & lower).count_ones();
            let mut place = first + own(a) + own(b) + own(c) + own(d);
            let _: [(); WAITING] = from_fn(|n| {
                if is_new[n] {
                    self.put(objects[n], place);
                    place += 1;
                }
            });
        }
        if self.has_stray.get() {
            stray_work();
        }
    }
}
