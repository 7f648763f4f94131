//! The failure of a kernel that several threads of the host run: only the first is heard.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a kernel has failed that several threads run: once a call has panicked, no further chunks are begun.
#[derive(Debug, Default)]
pub struct Failure {
    failed: Arc<AtomicBool>,
}

thread_local! {
    /// Whether the kernel failed that this thread works on.
    static FAILED: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

impl Failure {
    /// Does the work for a chunk, unless the kernel failed; then the panic is on its way to the caller.
    pub fn chunk<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        /// Ends the chunk, also by a panic.
        struct Chunk<'a> {
            failed: &'a AtomicBool,
            before: Option<Arc<AtomicBool>>,
        }
        impl Drop for Chunk<'_> {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    self.failed.store(true, Ordering::Relaxed);
                }
                FAILED.set(self.before.take());
            }
        }
        if self.failed.load(Ordering::Relaxed) {
            return None;
        }
        let _chunk = Chunk { failed: &self.failed, before: FAILED.replace(Some(Arc::clone(&self.failed))) };
        Some(work())
    }
}

/// Whether no other thread panicked before in the kernel that this thread works on.
pub(crate) fn is_first_failure() -> bool {
    FAILED.with_borrow(|failed| failed.as_ref().is_none_or(|failed| !failed.swap(true, Ordering::Relaxed)))
}
