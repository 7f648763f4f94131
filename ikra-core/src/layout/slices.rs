//! Windows of a column: slices, and their strided counterparts for AoS.

use core::fmt;
use core::marker::PhantomData;

use super::geometry;
use crate::info::ClassInfo;
use crate::target::element;
use crate::value::{Loaded, Value};
use crate::window::{Block, ReadOnly, Window};

impl<T: Value> Window<T> for &[T] {
    type Block = ReadOnly<<T as Loaded>::Lanes>;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> T {
        debug_assert!(index < self.len());
        // SAFETY: in range, by the caller.
        let place = unsafe { self.as_ptr().add(index) };
        // SAFETY: layouts make windows that are slices only of contiguous columns; nothing writes the borrowed
        // elements.
        unsafe { element::read(place) }
    }
}

impl<T: Value> Window<T> for &mut [T] {
    type Block = Block<<T as Loaded>::Lanes>;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> T {
        debug_assert!(index < self.len());
        // SAFETY: in range, by the caller.
        let place = unsafe { self.as_ptr().add(index) };
        // SAFETY: layouts make windows that are slices only of contiguous columns.
        unsafe { element::read_own(place) }
    }
    #[inline(always)]
    unsafe fn set(&mut self, index: usize, value: T) {
        debug_assert!(index < self.len());
        // SAFETY: in range, by the caller.
        let place = unsafe { self.as_mut_ptr().add(index) };
        // SAFETY: layouts make windows that are slices only of contiguous columns; this one is borrowed exclusively.
        unsafe { element::write(place, value) }
    }
}

/// A run of a column whose elements are spaced by `C`'s object size.
pub struct Strided<'a, C, T> {
    first: *const u8,
    len: usize,
    marker: PhantomData<(&'a [T], fn() -> C)>,
}

impl<C, T> Copy for Strided<'_, C, T> {}
impl<C, T> Clone for Strided<'_, C, T> {
    fn clone(&self) -> Self {
        *self
    }
}
// SAFETY: it stands for a `&[T]`, which is `Send` where `T: Sync`.
unsafe impl<C, T: Sync> Send for Strided<'_, C, T> {}
// SAFETY: it stands for a `&[T]`, which is `Sync` where `T: Sync`.
unsafe impl<C, T: Sync> Sync for Strided<'_, C, T> {}

impl<C: ClassInfo, T> fmt::Debug for Strided<'_, C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strided").field("len", &self.len).field("stride", &const { geometry::<C>().block }).finish()
    }
}

impl<C: ClassInfo, T: Value> Strided<'_, C, T> {
    /// # Safety
    ///
    /// `first` and the `len - 1` elements that follow it, spaced by `C`'s object size, are initialised and unchanged
    /// during `'a`.
    pub(super) unsafe fn new(first: *const u8, len: usize) -> Self {
        Self { first, len, marker: PhantomData }
    }
}

impl<C: ClassInfo, T: Value> Window<T> for Strided<'_, C, T> {
    type Block = ReadOnly<<T as Loaded>::Lanes>;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> T {
        debug_assert!(index < self.len);
        // SAFETY: in range, by the caller.
        let place = unsafe { self.first.add(index * const { geometry::<C>().block }) };
        // SAFETY: readable by the contract of `new`.
        unsafe { place.cast::<T>().read() }
    }
}

/// A run of a column whose elements are spaced by `C`'s object size, for writing.
pub struct StridedMut<'a, C, T> {
    first: *mut u8,
    len: usize,
    marker: PhantomData<(&'a mut [T], fn() -> C)>,
}

// SAFETY: it stands for a `&mut [T]`, which is `Send` where `T: Send`.
unsafe impl<C, T: Send> Send for StridedMut<'_, C, T> {}

impl<C: ClassInfo, T> fmt::Debug for StridedMut<'_, C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StridedMut").field("len", &self.len).field("stride", &const { geometry::<C>().block }).finish()
    }
}

impl<C: ClassInfo, T: Value> StridedMut<'_, C, T> {
    /// # Safety
    ///
    /// `first` and the `len - 1` elements that follow it, spaced by `C`'s object size, are initialised and accessed by
    /// nothing else during `'a`.
    pub(super) unsafe fn new(first: *mut u8, len: usize) -> Self {
        Self { first, len, marker: PhantomData }
    }
}

impl<C: ClassInfo, T: Value> Window<T> for StridedMut<'_, C, T> {
    type Block = Block<<T as Loaded>::Lanes>;
    #[inline(always)]
    unsafe fn get(&self, index: usize) -> T {
        debug_assert!(index < self.len);
        // SAFETY: in range, by the caller.
        let place = unsafe { self.first.add(index * const { geometry::<C>().block }) };
        // SAFETY: readable by the contract of `new`.
        unsafe { place.cast::<T>().read() }
    }
    #[inline(always)]
    unsafe fn set(&mut self, index: usize, value: T) {
        debug_assert!(index < self.len);
        // SAFETY: in range, by the caller.
        let place = unsafe { self.first.add(index * const { geometry::<C>().block }) };
        // SAFETY: writable by the contract of `new`.
        unsafe { place.cast::<T>().write(value) }
    }
}
