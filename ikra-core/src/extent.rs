//! What an object stores of an array of variable length.

/// An array's length, and where in the arena the elements without a slot begin.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Extent {
    /// Counted in elements.
    pub offset: u32,
    /// Elements in all.
    pub len: u32,
}
