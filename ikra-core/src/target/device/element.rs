//! Elements of contiguous columns. Each is at a multiple of every power of two that divides its size, up to a line: so a
//! pair of `f32` is loaded and stored by one instruction, though its type wants no more than a multiple of 4.

#[derive(Clone, Copy)]
#[repr(align(2))]
struct Of2<T>(T);
#[derive(Clone, Copy)]
#[repr(align(4))]
struct Of4<T>(T);
#[derive(Clone, Copy)]
#[repr(align(8))]
struct Of8<T>(T);
#[derive(Clone, Copy)]
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
            size if size % 16 == 0 => whole(element.cast::<Of16<T>>()).0,
            size if size % 8 == 0 => whole(element.cast::<Of8<T>>()).0,
            size if size % 4 == 0 => whole(element.cast::<Of4<T>>()).0,
            size if size % 2 == 0 => whole(element.cast::<Of2<T>>()).0,
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
            size if size % 16 == 0 => set_whole(element.cast::<Of16<T>>(), Of16(value)),
            size if size % 8 == 0 => set_whole(element.cast::<Of8<T>>(), Of8(value)),
            size if size % 4 == 0 => set_whole(element.cast::<Of4<T>>(), Of4(value)),
            size if size % 2 == 0 => set_whole(element.cast::<Of2<T>>(), Of2(value)),
            _ => element.write(value),
        }
    }
}

/// Reads a wrapper. By a function that MIR's inliner leaves to LLVM: it would see that the inner value is all that is needed,
/// and lose the wrapper's alignment.
///
/// # Safety
///
/// As for [`read`].
#[rustc_no_mir_inline]
#[inline]
unsafe fn whole<W: Copy>(element: *const W) -> W {
    // SAFETY: by the caller.
    unsafe { element.read() }
}

/// Writes a wrapper, likewise.
///
/// # Safety
///
/// As for [`write`].
#[rustc_no_mir_inline]
#[inline]
unsafe fn set_whole<W: Copy>(element: *mut W, value: W) {
    // SAFETY: by the caller.
    unsafe { element.write(value) }
}
