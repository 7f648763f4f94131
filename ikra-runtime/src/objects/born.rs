//! The objects that a kernel made, after they have ids.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::class::ClassId;
use ikra_core::moves::Change;

/// The objects that a kernel made in one class, after they have ids.
#[derive(Debug, Default)]
pub struct Born {
    /// By the number that links have until the kernel ends: the id, or 0. Empty if no field can have such links.
    pub(super) ids: Vec<u32>,
    /// The indices of the first ones, which were holes.
    pub(super) holes: Vec<u32>,
    /// The number of indices that the class had before.
    pub(super) slots: usize,
    /// The number of those that follow.
    pub(super) added: usize,
    /// The index by which links name number 0 until the kernel ends.
    pub(super) first: u32,
}

impl Born {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    pub(super) fn count(&self) -> usize {
        self.holes.len() + self.added
    }

    /// The index of the object at a position, in the order of their makers.
    pub(super) fn index(&self, position: usize) -> usize {
        match self.holes.get(position) {
            Some(&hole) => hole as usize,
            None => self.slots + (position - self.holes.len()),
        }
    }

    /// The change of links to them.
    pub(crate) fn change(&self, class: ClassId) -> Change<'_> {
        Change::made(class, self.first, &self.ids)
    }
}

/// The ids of new objects, by the numbers that links have until the kernel ends.
pub(super) struct Ids(Vec<AtomicU32>);

impl Ids {
    pub(super) fn new(numbers: u32) -> Self {
        Self((0..numbers).map(|_| AtomicU32::new(0)).collect())
    }

    pub(super) fn note(&self, number: u32, index: usize) {
        if let Some(id) = self.0.get(number as usize) {
            id.store(index as u32 + 1, Relaxed);
        }
    }

    pub(super) fn into_inner(self) -> Vec<u32> {
        self.0.into_iter().map(AtomicU32::into_inner).collect()
    }
}
