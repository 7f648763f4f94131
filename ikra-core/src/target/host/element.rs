//! Elements of contiguous columns.

/// Reads an element.
///
/// # Safety
///
/// It is an initialised element of a contiguous column, and nothing writes it as long as the column is borrowed.
#[inline(always)]
pub(crate) unsafe fn read<T: Copy>(element: *const T) -> T {
    // SAFETY: an initialised element of a column, which nothing writes while the column is borrowed.
    unsafe { element.read() }
}

/// Reads an element of a column that is borrowed exclusively, or of an arena.
///
/// # Safety
///
/// It is an initialised element of a contiguous column or of an arena, and nothing writes it.
#[inline(always)]
pub(crate) unsafe fn read_own<T: Copy>(element: *const T) -> T {
    // SAFETY: an initialised element, which nothing writes.
    unsafe { element.read() }
}

/// Writes an element.
///
/// # Safety
///
/// It is an element of a contiguous column, and nothing else accesses it.
#[inline(always)]
pub(crate) unsafe fn write<T: Copy>(element: *mut T, value: T) {
    // SAFETY: an element of a column, which nothing else accesses.
    unsafe { element.write(value) }
}
