//! Elements of contiguous columns. Each is at a multiple of every power of two that divides its size, up to a line. So
//! one instruction loads or stores a pair of `f32`, though its type needs only a multiple of 4.

use core::arch::asm;
use core::mem::MaybeUninit;

use crate::layout::whole_align;

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

/// Reads an element that does not change as long as the kernel runs, by the instruction for such memory. So the
/// compiler may load it where it is needed, and need not load it again after any store.
///
/// # Safety
///
/// It is an initialised element of a contiguous column, and no thread of the launch writes it.
#[inline(always)]
pub(crate) unsafe fn read<T: Copy>(element: *const T) -> T {
    if size_of::<T>() == 0 || size_of::<T>() > 64 {
        // SAFETY: an initialised element of a contiguous column, which no thread of the launch writes.
        return unsafe { read_own(element) };
    }
    let mut value = MaybeUninit::<T>::uninit();
    let pieces = const { size_of::<T>() / whole_align(size_of::<T>()) };
    let mut n = 0;
    while n < pieces {
        let at = n * const { whole_align(size_of::<T>()) };
        // SAFETY: a piece of the element and of the value; it starts at a multiple of its size, as a column's elements
        // do.
        unsafe { copy_piece::<T>(element.byte_add(at).addr() as u64, value.as_mut_ptr().byte_add(at)) };
        n += 1;
    }
    // SAFETY: all of its pieces were copied from one value.
    unsafe { value.assume_init() }
}

/// An instruction that loads registers `$value` from the address.
macro_rules! load {
    ($at:expr, $to:expr, $instruction:literal $format:literal, $class:ident $ty:ty; $($value:ident)*) => {{
        $(let $value: $ty;)*
        // SAFETY: by the caller, the loaded value depends only on the address.
        unsafe {
            asm!(
                concat!(
                    "{{ .reg .b64 a; cvta.to.global.u64 a, {at}; ld.global.nc.", $instruction, " ", $format, ", [a]; }}"
                ),
                at = in(reg64) $at,
                $($value = out($class) $value,)*
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        // SAFETY: by the caller, there is room for this many bytes.
        unsafe { $to.write_unaligned([$($value),*]) }
    }};
}

/// Copies this many bytes, loaded by one instruction.
///
/// # Safety
///
/// The piece is part of a `T` in global memory, at a multiple of its size. No thread of the launch writes it, and `to`
/// has room for it.
#[inline(always)]
unsafe fn copy_piece<T>(from: u64, to: *mut T) {
    match const { (whole_align(size_of::<T>()), align_of::<T>()) } {
        (16, 8..) => load!(from, to.cast::<[u64; 2]>(), "v2.b64" "{{{a}, {b}}}", reg64 u64; a b),
        (16, _) => load!(from, to.cast::<[u32; 4]>(), "v4.b32" "{{{a}, {b}, {c}, {d}}}", reg32 u32; a b c d),
        (8, 8..) => load!(from, to.cast::<[u64; 1]>(), "b64" "{a}", reg64 u64; a),
        (8, _) => load!(from, to.cast::<[u32; 2]>(), "v2.b32" "{{{a}, {b}}}", reg32 u32; a b),
        (4, _) => load!(from, to.cast::<[u32; 1]>(), "b32" "{a}", reg32 u32; a),
        (2, _) => load!(from, to.cast::<[u16; 1]>(), "b16" "{a}", reg16 u16; a),
        _ => {
            let mut byte = 0_u16;
            load!(from, (&raw mut byte).cast::<[u16; 1]>(), "u8" "{a}", reg16 u16; a);
            // SAFETY: there is room for a piece, which is one byte here.
            unsafe { to.cast::<u8>().write(byte as u8) }
        }
    }
}

/// Reads an element that the kernel may write later.
///
/// # Safety
///
/// It is an initialised element of a contiguous column, or at a multiple of its size from the start of an arena.
/// Nothing writes it.
#[inline(always)]
pub(crate) unsafe fn read_own<T: Copy>(element: *const T) -> T {
    // SAFETY: by the caller. Columns and arenas start on a line, and their elements are as far apart as their size. So
    // each is at a multiple of the wrapper's alignment, and the wrapper is not larger.
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
/// It is an element of a contiguous column, and nothing else accesses it.
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

/// Reads a wrapper. MIR's inliner leaves this function to LLVM. MIR's inliner would see that only the inner value is
/// needed, and lose the wrapper's alignment.
///
/// # Safety
///
/// As for [`read`].
#[rustc_no_mir_inline]
#[inline]
unsafe fn whole<W: Copy>(element: *const W) -> W {
    // SAFETY: an initialised element at a multiple of the wrapper's alignment, which nothing writes.
    unsafe { element.read() }
}

/// Writes a wrapper, in the same way.
///
/// # Safety
///
/// As for [`write`].
#[rustc_no_mir_inline]
#[inline]
unsafe fn set_whole<W: Copy>(element: *mut W, value: W) {
    // SAFETY: an element at a multiple of the wrapper's alignment, which nothing else accesses.
    unsafe { element.write(value) }
}
