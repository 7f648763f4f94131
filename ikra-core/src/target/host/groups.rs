//! The memory of groups on the host.

use std::any::Any;
use std::fmt;
use std::ptr;
use std::string::String;
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, OnceLock};
use std::vec::Vec;

/// Numbers in the memory of a device.
#[derive(Clone)]
pub struct Remote {
    /// How many there are.
    pub len: usize,
    /// The memory, which the device's executor knows.
    pub memory: Arc<dyn Any + Send + Sync>,
    /// Copies them to the host, or says why that is not possible.
    pub fetch: Arc<dyn Fn() -> Result<Vec<u32>, String> + Send + Sync>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Remote({})", self.len)
    }
}

/// Numbers that never change: starts of groups, and objects.
#[derive(Debug)]
pub struct Words {
    /// The numbers, once the host has needed them.
    words: OnceLock<Arc<[u32]>>,
    /// The address of the first one; null before.
    start: AtomicPtr<u32>,
    remote: Option<Remote>,
}

impl Words {
    /// Keeps these numbers.
    pub(crate) fn new(words: Arc<[u32]>) -> Self {
        let start = AtomicPtr::new(words.as_ptr().cast_mut());
        Self { words: OnceLock::from(words), start, remote: None }
    }

    /// Keeps the numbers that a device has.
    pub(crate) fn remote(remote: Remote) -> Self {
        Self { words: OnceLock::new(), start: AtomicPtr::new(ptr::null_mut()), remote: Some(remote) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.remote.as_ref().map_or_else(|| self.here().len(), |remote| remote.len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory of the device that made them.
    pub fn memory(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.remote.as_ref().map(|remote| &*remote.memory)
    }

    /// All numbers, or why they cannot be fetched. Another device's copy lasts as long as they do.
    ///
    /// # Errors
    ///
    /// The reason why the device cannot copy them.
    pub fn shared(&self) -> Result<&Arc<[u32]>, String> {
        if let (None, Some(remote)) = (self.words.get(), &self.remote) {
            let words: Arc<[u32]> = (remote.fetch)()?.into();
            if words.len() != remote.len {
                return Err(String::from("it has other numbers"));
            }
            // Another thread may have set them already.
            let _ = self.words.set(words);
        }
        let words = self.words.get_or_init(|| Arc::new([]));
        self.start.store(words.as_ptr().cast_mut(), Release);
        Ok(words)
    }

    /// All numbers.
    ///
    /// # Panics
    ///
    /// If they cannot be fetched.
    #[track_caller]
    pub(crate) fn here(&self) -> &[u32] {
        self.shared().unwrap_or_else(|reason| panic!("the groups are on a device: {reason}"))
    }

    /// Makes sure that the host has them.
    ///
    /// # Panics
    ///
    /// If they cannot be fetched.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn bring(&self) {
        if self.start.load(Acquire).is_null() {
            self.here();
        }
    }

    /// One of them.
    ///
    /// # Safety
    ///
    /// There are more than `n`, and this thread has called [`bring`](Self::bring), or was told of them by one that has.
    #[inline(always)]
    pub(crate) unsafe fn get(&self, n: u32) -> u32 {
        // SAFETY: the address is that of the numbers, of which there are more than `n`.
        let at = unsafe { self.start.load(Relaxed).add(n as usize) };
        // SAFETY: a number, which never changes.
        unsafe { *at }
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
