//! The memory of groups on the host.

use std::sync::Arc;

/// Numbers that never change: starts of groups, and objects.
#[derive(Debug)]
pub struct Words(Arc<[u32]>);

impl Words {
    /// Keeps these numbers.
    pub(crate) fn new(words: Arc<[u32]>) -> Self {
        Self(words)
    }

    /// All numbers. A device's copy lasts as long as they do.
    pub fn shared(&self) -> &Arc<[u32]> {
        &self.0
    }

    /// One of them.
    ///
    /// # Safety
    ///
    /// There are more than `n`.
    #[inline(always)]
    pub(crate) unsafe fn get(&self, n: u32) -> u32 {
        // SAFETY: by the caller.
        unsafe { *self.0.get_unchecked(n as usize) }
    }
}

/// When groups were made, and of which objects.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// The number of the objects' table.
    pub table: u64,
    /// The count of changes of ids and removals in the process.
    pub generation: u64,
}

impl Made {
    /// Whether groups are of the objects in another table, or objects may have other ids since, or were removed, where
    /// a table has this number and last changed in this generation.
    #[inline(always)]
    pub fn is_stale(&self, (table, changed): (u64, u64)) -> bool {
        self.table != table || changed > self.generation
    }
}
