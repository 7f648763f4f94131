//! The data that an object stores for an array of variable length.

/// An array's length, and the start of its elements without a slot in the arena.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Extent {
    /// Counted in elements.
    pub offset: u32,
    /// The number of all elements.
    pub len: u32,
}
