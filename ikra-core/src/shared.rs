//! Memory of the host that never changes, as a device needs it to keep a copy.

use std::fmt;
use std::sync::Arc;

/// Memory of the host that never changes, to be copied to a device.
#[derive(Clone, Copy)]
pub struct Memory<'a> {
    start: *const (),
    bytes: usize,
    owner: &'a dyn Owner,
}

/// Shared memory whose end a device's copy waits for.
trait Owner {
    /// A function that tells whether the memory is gone. As long as it exists, no other memory has this address.
    fn watch(&self) -> Box<dyn Fn() -> bool + Send + Sync>;
}

impl<T: Send + Sync + 'static> Owner for Arc<[T]> {
    fn watch(&self) -> Box<dyn Fn() -> bool + Send + Sync> {
        let weak = Arc::downgrade(self);
        Box::new(move || weak.strong_count() == 0)
    }
}

impl<'a> Memory<'a> {
    /// The memory of some elements.
    pub(crate) fn of<T: Send + Sync + 'static>(elements: &'a Arc<[T]>) -> Self {
        Self { start: elements.as_ptr().cast(), bytes: size_of_val(&elements[..]), owner: elements }
    }

    /// Its address.
    pub fn start(self) -> *const () {
        self.start
    }

    /// Its size in bytes.
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// A function that tells whether it is gone. As long as that function exists, no other memory has this address.
    pub fn watch(self) -> Box<dyn Fn() -> bool + Send + Sync> {
        self.owner.watch()
    }
}

impl fmt::Debug for Memory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} bytes)", self.bytes)
    }
}
