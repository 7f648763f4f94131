//! The memory of worklists on the device.

use super::cells::{AtomicU32, Relaxed};
use super::element;

/// Objects that were found: the list of the next iteration.
#[derive(Debug)]
#[repr(C)]
pub struct Found {
    /// For each object the number of the last list that it is in.
    marks: *const AtomicU32,
    /// The number of objects in the list, the list's number, two numbers without use, and the objects.
    list: *const AtomicU32,
    /// The number of objects, of which each has a mark, and a place in the list.
    count: u32,
}

// SAFETY: the memory is that of a loop, and only atomic operations change it.
unsafe impl Sync for Found {}
// SAFETY: all threads of a launch may use the memory.
unsafe impl Send for Found {}

impl Found {
    /// The position of the first object in a list.
    const FIRST: usize = 4;

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Adds an object. `false` if there is none of this index.
    #[inline]
    pub(crate) fn insert(&self, index: u32) -> bool {
        if index >= self.count {
            return false;
        }
        // SAFETY: each object has a mark.
        let mark = unsafe { &*self.marks.add(index as usize) };
        // SAFETY: a list begins with its number of objects.
        let len = unsafe { &*self.list };
        // SAFETY: its own number follows, which changes between launches only.
        let number = unsafe { element::read(self.list.add(1).cast::<u32>()) };
        if mark.swap(number, Relaxed) != number {
            let place = Self::FIRST + len.fetch_add(1, Relaxed) as usize;
            // SAFETY: each object is added once to a list, which has room for all.
            unsafe { &*self.list.add(place) }.store(index, Relaxed);
        }
        true
    }
}
