//! Copies of inner arrays, for code during which an array may be changed.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::fmt;
use std::ptr::NonNull;

use crate::value::Value;

/// Memory for copies of inner arrays. The copies are at the addresses that `Copies::of` returned, and live as long as
/// this does.
#[derive(Default)]
pub struct Copies(Vec<(NonNull<u8>, Layout)>);

impl Copies {
    /// Without copies.
    #[inline]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Copies `len` values, which `get` reads one by one, and returns the address of the first.
    pub(crate) fn of<T: Value>(&mut self, len: usize, mut get: impl FnMut(usize) -> T) -> *mut T {
        let Ok(layout) = Layout::array::<T>(len) else { unreachable!("an array that exists has a size") };
        if layout.size() == 0 {
            return NonNull::dangling().as_ptr();
        }
        // SAFETY: the size is not 0.
        let Some(start) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        self.0.push((start, layout));
        let first = start.as_ptr().cast::<T>();
        for n in 0..len {
            let value = get(n);
            // SAFETY: there is room for `len` values.
            let place = unsafe { first.add(n) };
            // SAFETY: as above, at a multiple of their alignment.
            unsafe { place.write(value) };
        }
        first
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        for &(start, layout) in &self.0 {
            // SAFETY: made by `alloc` with this layout, and freed once. Values need no drop: they are `Copy`.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }
}

impl fmt::Debug for Copies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Copies({})", self.0.len())
    }
}
