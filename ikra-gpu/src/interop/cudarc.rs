//! Contexts, streams and slices of `cudarc`.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut};

use super::{ForeignContext, ForeignStream, Lender, Number};

// SAFETY: a `CudaContext` owns its context, or holds a reference to the device's primary context.
unsafe impl ForeignContext for Arc<CudaContext> {
    fn as_raw(&self) -> *mut c_void {
        self.cu_ctx().cast()
    }
    fn keep(&self) -> Option<Box<dyn Any + Send + Sync>> {
        if self.is_primary() { None } else { Some(Box::new(self.clone())) }
    }
}

/// A column as a `cudarc` slice that does not free its memory.
struct Column<T>(Option<CudaSlice<T>>);

impl<T> Drop for Column<T> {
    fn drop(&mut self) {
        if let Some(slice) = self.0.take() {
            // The stream waits for the work on this column in other streams.
            slice.leak();
        }
    }
}

impl<T: Number> Column<T> {
    /// # Safety
    ///
    /// `len` values exist at the address.
    unsafe fn new(stream: &Arc<CudaStream>, address: u64, len: usize) -> Self {
        // SAFETY: by the caller; `Drop` takes the `CudaSlice` apart, so it never frees this memory.
        Self(Some(unsafe { stream.upgrade_device_ptr(address, len) }))
    }
}

// SAFETY: 1. A `CudaStream` owns its stream, or is one of its context's default streams. 2. Views borrow from a slice
// that belongs to the lender. `cudarc` orders safe uses on other streams by the slice's events. `stream` waits for
// these events when the lender drops the slice. Safe code reads elements through views, and writes them through mutable
// views only.
unsafe impl ForeignStream for Arc<CudaStream> {
    type Column<'l, T: Number> = CudaView<'l, T>;
    type ColumnMut<'l, T: Number> = CudaViewMut<'l, T>;

    fn as_raw(&self) -> *mut c_void {
        self.cu_stream().cast()
    }
    fn context(&self) -> Option<*mut c_void> {
        Some(CudaStream::context(self).cu_ctx().cast())
    }
    unsafe fn lend<'l, T: Number>(&'l self, lender: &'l Lender, address: u64, len: usize) -> CudaView<'l, T> {
        // SAFETY: by the caller.
        let column = lender.keep(unsafe { Column::<T>::new(self, address, len) });
        // SAFETY: the lender keeps the slice until it is dropped; the lender is borrowed, and nothing else has the
        // slice.
        let column: &'l Column<T> = unsafe { column.as_ref() };
        column.0.as_ref().expect("not dropped").as_view()
    }
    unsafe fn lend_mut<'l, T: Number>(&'l self, lender: &'l Lender, address: u64, len: usize) -> CudaViewMut<'l, T> {
        // SAFETY: by the caller.
        let mut column = lender.keep(unsafe { Column::<T>::new(self, address, len) });
        // SAFETY: the lender keeps the slice until it is dropped; the lender is borrowed, and nothing else has the
        // slice.
        let column: &'l mut Column<T> = unsafe { column.as_mut() };
        column.0.as_mut().expect("not dropped").as_view_mut()
    }
}
