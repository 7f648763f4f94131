//! The failure of a kernel that several threads of the host run: only the first is heard.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a kernel has failed that several threads run: once a call has panicked, no further chunks are begun.
#[derive(Debug, Default)]
pub struct Failure {
    failed: AtomicBool,
}

thread_local! {
    /// Whether the kernel failed that this thread works on; null outside [`Failure::chunk`].
    static FAILED: Cell<*const AtomicBool> = const { Cell::new(ptr::null()) };
}

impl Failure {
    /// Does the work for a chunk, unless the kernel failed; then the panic is on its way to the caller.
    pub fn chunk<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        /// Ends the chunk, also by a panic.
        struct Chunk<'a> {
            failed: &'a AtomicBool,
            before: *const AtomicBool,
        }
        impl Drop for Chunk<'_> {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    self.failed.store(true, Ordering::Relaxed);
                }
                FAILED.set(self.before);
            }
        }
        if self.failed.load(Ordering::Relaxed) {
            return None;
        }
        let _chunk = Chunk { failed: &self.failed, before: FAILED.replace(&raw const self.failed) };
        Some(work())
    }
}

/// Whether no other thread panicked before in the kernel that this thread works on.
pub(crate) fn is_first_failure() -> bool {
    let failed = FAILED.get();
    // SAFETY: null, or the flag of a `Failure` that a call of `chunk` on this thread borrows: each call puts back what was
    // there before when it ends, also by a panic, so that what is there belongs to the innermost call that has not ended.
    unsafe { failed.as_ref() }.is_none_or(|failed| !failed.swap(true, Ordering::Relaxed))
}
