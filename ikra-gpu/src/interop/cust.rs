//! Contexts, streams and device pointers of `cust`.
//!
//! `cust` links to the driver, so a program that uses it does not start without a driver. Its build needs a CUDA
//! toolkit in `/usr/local/cuda`, in `/opt/cuda` or at `CUDA_LIBRARY_PATH`: a folder with `lib64/libcuda.so` is enough.

use std::any::Any;
use std::ffi::c_void;
use std::marker::PhantomData;

use cust::context::Context;
use cust::memory::{DeviceCopy, DevicePointer, DeviceSlice};
use cust::stream::Stream;

use super::{ForeignContext, ForeignStream, Lender, Number};

// SAFETY: a `Context` holds a reference to its device's primary context.
unsafe impl ForeignContext for Context {
    fn as_raw(&self) -> *mut c_void {
        Context::as_raw(self).cast()
    }
    fn keep(&self) -> Option<Box<dyn Any + Send + Sync>> {
        None
    }
}

/// A column that is lent for reading: `cust`'s pointer, with a lifetime.
#[derive(Clone, Copy, Debug)]
pub struct Column<'l, T> {
    address: u64,
    len: usize,
    lent: PhantomData<&'l [T]>,
}

impl<T> Column<'_, T> {
    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the column is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<T: DeviceCopy> Column<'_, T> {
    /// Its start, as an argument for `launch!`.
    #[must_use]
    pub fn as_device_ptr(&self) -> DevicePointer<T> {
        DevicePointer::from_raw(self.address)
    }

    /// The column as `cust`'s slice type, which has no lifetime.
    ///
    /// # Safety
    ///
    /// The slice is not used after the column is returned, and it is not written.
    #[must_use]
    pub unsafe fn as_slice(&self) -> DeviceSlice<T> {
        // SAFETY: by the caller; `len` values exist at the address.
        unsafe { DeviceSlice::from_raw_parts(self.as_device_ptr(), self.len) }
    }
}

/// A column that is lent for reading and writing: `cust`'s pointer, with a lifetime.
#[derive(Debug)]
pub struct ColumnMut<'l, T> {
    address: u64,
    len: usize,
    lent: PhantomData<&'l mut [T]>,
}

impl<T> ColumnMut<'_, T> {
    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the column is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<T: DeviceCopy> ColumnMut<'_, T> {
    /// Its start, as an argument for `launch!`.
    #[must_use]
    pub fn as_device_ptr(&mut self) -> DevicePointer<T> {
        DevicePointer::from_raw(self.address)
    }

    /// The column as `cust`'s slice type, which has no lifetime.
    ///
    /// # Safety
    ///
    /// The slice is not used after the column is returned.
    #[must_use]
    pub unsafe fn as_slice(&mut self) -> DeviceSlice<T> {
        // SAFETY: by the caller; `len` values exist at the address.
        unsafe { DeviceSlice::from_raw_parts(self.as_device_ptr(), self.len) }
    }
}

// SAFETY: 1. A `Stream` owns its stream. 2. Safe code can only copy the pointer, and no safe function dereferences it.
unsafe impl ForeignStream for Stream {
    type Column<'l, T: Number> = Column<'l, T>;
    type ColumnMut<'l, T: Number> = ColumnMut<'l, T>;

    fn as_raw(&self) -> *mut c_void {
        self.as_inner().cast()
    }
    fn context(&self) -> Option<*mut c_void> {
        None
    }
    unsafe fn lend<'l, T: Number>(&'l self, _: &'l Lender, address: u64, len: usize) -> Column<'l, T> {
        Column { address, len, lent: PhantomData }
    }
    unsafe fn lend_mut<'l, T: Number>(&'l self, _: &'l Lender, address: u64, len: usize) -> ColumnMut<'l, T> {
        ColumnMut { address, len, lent: PhantomData }
    }
}
