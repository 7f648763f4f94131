//! Elements of contiguous columns. Each is at a multiple of every power of two that divides its size, up to a line: so a
//! pair of `f32` is loaded and stored by one instruction, though its type wants no more than a multiple of 4.

#[repr(align(2))]
struct Of2<T>(T);
#[repr(align(4))]
struct Of4<T>(T);
#[repr(align(8))]
struct Of8<T>(T);
#[repr(align(16))]
struct Of16<T>(T);

/// Reads an element.
///
/// # Safety
///
/// It is one of a contiguous column, initialised, and nothing writes it.
#[inline(always)]
pub(crate) unsafe fn read<T: Copy>(element: *const T) -> T {
    // SAFETY: by the caller; columns start on a line, and their elements are as far apart as they are large, so that each
    // is at a multiple of the wrapper's alignment, and the wrapper is no larger.
    unsafe {
        match size_of::<T>() {
            0 => element.read(),
            size if size % 16 == 0 => element.cast::<Of16<T>>().read().0,
            size if size % 8 == 0 => element.cast::<Of8<T>>().read().0,
            size if size % 4 == 0 => element.cast::<Of4<T>>().read().0,
            size if size % 2 == 0 => element.cast::<Of2<T>>().read().0,
            _ => element.read(),
        }
    }
}

/// Writes an element.
///
/// # Safety
///
/// It is one of a contiguous column, and nothing else accesses it.
#[inline(always)]
pub(crate) unsafe fn write<T: Copy>(element: *mut T, value: T) {
    // SAFETY: as in `read`.
    unsafe {
        match size_of::<T>() {
            0 => element.write(value),
            size if size % 16 == 0 => element.cast::<Of16<T>>().write(Of16(value)),
            size if size % 8 == 0 => element.cast::<Of8<T>>().write(Of8(value)),
            size if size % 4 == 0 => element.cast::<Of4<T>>().write(Of4(value)),
            size if size % 2 == 0 => element.cast::<Of2<T>>().write(Of2(value)),
            _ => element.write(value),
        }
    }
}
