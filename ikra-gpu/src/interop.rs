//! Interoperation with other CUDA libraries: their kernels read and write a world's columns in place, on the device.
//!
//! | | |
//! | --- | --- |
//! | [`open_in`](Cuda::open_in) | opens a world in another library's context |
//! | [`lend`](Cuda::lend) | lends columns to work on another library's stream |
//! | feature `cudarc` | `Arc<CudaContext>`, `Arc<CudaStream>`; a column is a `CudaView` or `CudaViewMut` |
//! | feature `cust` | `Context`, `Stream`; a column is a `cust::Column` with its `DevicePointer` |
//! | others | [`ForeignContext`] and [`ForeignStream`], with two `unsafe impl`s for their types |
//!
//! ```ignore
//! use std::sync::Arc;
//! use cudarc::driver::{CudaContext, CudaFunction, CudaStream, LaunchConfig, PushKernelArg};
//! use ikra::prelude::*;
//!
//! /// `vel[i] *= factor`, by a kernel of our own.
//! fn slow_down(sim: &mut Sim, stream: &Arc<CudaStream>, scale: &CudaFunction) -> Result<(), Failure> {
//!     sim.cuda_execute(Body::advance, 0.01)?;
//!     sim.cuda().lend(stream, |columns| {
//!         let mut vel = columns.column_mut(body::vel);
//!         let (len, factor) = (vel.len() as u32, 0.5_f32);
//!         let mut launch = stream.launch_builder(scale);
//!         launch.arg(&mut vel).arg(&len).arg(&factor);
//!         // SAFETY: the kernel takes a pointer, a length and a factor.
//!         unsafe { launch.launch(LaunchConfig::for_num_elems(len)) }
//!     })??;
//!     sim.cuda_execute(Body::advance, 0.01)?;          // after the kernel, by an event
//!     Ok(())
//! }
//! ```

#[cfg(feature = "cudarc")]
mod cudarc;
#[cfg(feature = "cust")]
pub mod cust;

use std::any::Any;
use std::cell::RefCell;
use std::ffi::c_void;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

use ikra_core::class::{ClassId, Field};
use ikra_core::column::Column;
use ikra_core::effects::FieldSet;
use ikra_core::layout::Contiguous;
use ikra_core::panics::has_holes;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::objects::{AnyObjects, SliceColumnMut};
use ikra_runtime::world::{Holds, World};

use crate::cuda::Cuda;
use crate::device_columns::DeviceColumns;
pub use crate::driver::ForeignContext;
use crate::driver::{Context, DeviceInfo, forget_entered};
use crate::executor::{open_in, with};
use crate::stream_log::StreamLog;

/// Another library's stream, and the types by which that library sees a world's columns.
///
/// ```
/// use std::{ffi::c_void, marker::PhantomData};
/// use ikra::gpu::interop::{ForeignStream, Lender, Number};
///
/// /// A stream of a library in C.
/// pub struct Stream(*mut c_void);
/// /// What its functions take.
/// pub struct Slice<'l, T> { pub start: u64, pub len: usize, lent: PhantomData<&'l T> }
///
/// // SAFETY: whoever makes a `Stream` owns one; only `unsafe` code can follow a `Slice`'s address.
/// unsafe impl ForeignStream for Stream {
///     type Column<'l, T: Number> = Slice<'l, T>;
///     type ColumnMut<'l, T: Number> = Slice<'l, T>;
///     fn as_raw(&self) -> *mut c_void { self.0 }
///     fn context(&self) -> Option<*mut c_void> { None }
///     unsafe fn lend<'l, T: Number>(&'l self, _: &'l Lender, start: u64, len: usize) -> Slice<'l, T> {
///         Slice { start, len, lent: PhantomData }
///     }
///     unsafe fn lend_mut<'l, T: Number>(&'l self, _: &'l Lender, start: u64, len: usize) -> Slice<'l, T> {
///         Slice { start, len, lent: PhantomData }
///     }
/// }
/// ```
///
/// # Safety
///
/// 1. `as_raw` returns a `CUstream` that is alive while `self` is. [`context`](Self::context) returns the stream's
///    context.
/// 2. Safe code can use the results of `lend` and `lend_mut` only for work that is complete when the lender is dropped,
///    or that is ordered before later work on this stream. It can only read these elements, or with `lend_mut` also
///    write them. It cannot free them.
pub unsafe trait ForeignStream {
    /// A column to read.
    type Column<'l, T: Number>
    where
        Self: 'l;
    /// A column to read and write.
    type ColumnMut<'l, T: Number>
    where
        Self: 'l;

    /// The driver's handle.
    fn as_raw(&self) -> *mut c_void;
    /// The handle of the stream's context, if the library knows the context.
    fn context(&self) -> Option<*mut c_void>;
    /// Lends the `len` values at an address, to be read.
    ///
    /// # Safety
    ///
    /// The values exist in device memory of the stream's context, and nothing writes them until the lender is dropped.
    unsafe fn lend<'l, T: Number>(&'l self, lender: &'l Lender, address: u64, len: usize) -> Self::Column<'l, T>;
    /// Lends the `len` values at an address, to be read and written.
    ///
    /// # Safety
    ///
    /// The values exist in device memory of the stream's context, and nothing else reads or writes them until the
    /// lender is dropped.
    unsafe fn lend_mut<'l, T: Number>(&'l self, lender: &'l Lender, address: u64, len: usize)
    -> Self::ColumnMut<'l, T>;
}

/// Keeps the values that a library's types need until the columns are returned.
#[derive(Debug, Default)]
pub struct Lender(RefCell<Vec<NonNull<dyn Any>>>);

impl Lender {
    /// Keeps a value until the lender is dropped, and returns its address.
    pub fn keep<T: 'static>(&self, value: T) -> NonNull<T> {
        let kept = NonNull::from(Box::leak(Box::new(value)));
        self.0.borrow_mut().push(kept);
        kept
    }
}

impl Drop for Lender {
    fn drop(&mut self) {
        for kept in self.0.get_mut().drain(..) {
            // SAFETY: `keep` leaked this box, and only this line takes it back.
            drop(unsafe { Box::from_raw(kept.as_ptr()) });
        }
    }
}

/// A number, or an array of numbers: types for which every bit pattern is a value.
///
/// ```compile_fail
/// # use ikra_gpu::interop::Number;
/// fn lend<T: Number>() {}
/// lend::<bool>();
/// ```
///
/// # Safety
///
/// Every bit pattern is a value of the type, and the type has no padding.
pub unsafe trait Number: Copy + Send + Sync + 'static {}

macro_rules! numbers {
    ($($ty:ty)*) => { $(
        // SAFETY: a number: every bit pattern is a value.
        unsafe impl Number for $ty {}
    )* };
}
numbers! { u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 }
// SAFETY: an array of numbers has no padding between its elements.
unsafe impl<T: Number, const N: usize> Number for [T; N] {}

/// Columns for other libraries, in their contexts and on their streams.
impl<W: World> Cuda<'_, W> {
    /// Opens the world in a context of another library. This is unnecessary if the context is the device's primary one,
    /// because worlds are opened there anyway. The CUDA runtime, `cudarc`'s `CudaContext::new` and `cust`'s
    /// `Context::new` use the primary context.
    ///
    /// The world's changes in other contexts are fetched first. After a kernel has failed, Ikra does not reset a
    /// context that other libraries use. The program then continues on the host, or has to be restarted.
    ///
    /// ```no_run
    /// # use ikra::prelude::*;
    /// # use ikra::gpu::interop::{ForeignContext, ForeignStream};
    /// # #[soa_class] pub struct Body { pub pos: f32, pub vel: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; } }
    /// /// With `cudarc`, of an `Arc<CudaContext>`; with `cust`, of a `Context`.
    /// fn start(sim: &mut Sim, context: &impl ForeignContext) -> Result<(), ikra::Error> {
    ///     let gpu = sim.cuda().open_in(context)?;
    ///     println!("on {}", gpu.name);
    ///     sim.cuda_execute(Body::advance, 0.01)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn open_in(&mut self, context: &impl ForeignContext) -> Result<DeviceInfo, Error> {
        open_in(self.world, &Context::open_in(context)?)
    }

    /// Lends columns on the device to `work`, which may put its own work on `stream`: kernels, copies, calls of other
    /// libraries.
    ///
    /// Events order this work after the world's kernels so far and before its later kernels; the host does not wait.
    /// Ikra cannot tell errors of this work from its own, so an error may be reported for one of the world's kernels
    /// too.
    ///
    /// ```no_run
    /// # use ikra::prelude::*;
    /// # use ikra::gpu::interop::{ForeignContext, ForeignStream};
    /// # #[soa_class] pub struct Body { pub pos: f32, pub vel: f32 }
    /// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
    /// # #[soa_methods]
    /// # impl Body { #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; } }
    /// /// With `cudarc`, on an `Arc<CudaStream>`; with `cust`, on a `Stream`.
    /// fn step(sim: &mut Sim, stream: &impl ForeignStream) -> Result<(), ikra::Error> {
    ///     sim.cuda_execute(Body::advance, 0.01)?;
    ///     sim.cuda().lend(stream, |columns| {
    ///         let pos = columns.column(body::pos);         // with `cudarc`, a `CudaView<f32>`
    ///         let vel = columns.column_mut(body::vel);     // a `CudaViewMut<f32>`
    ///         // Kernels are started here, which read `pos` and change `vel`.
    /// #       drop((pos, vel));
    ///     })?;
    ///     sim.cuda_execute(Body::advance, 0.01)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As for executors; [`Error::NotRecordable`] in a recording; [`GpuError::ForeignStream`] if the stream does not
    /// belong to the world's context.
    pub fn lend<S: ForeignStream, T>(
        &mut self,
        stream: &S,
        work: impl FnOnce(&Lent<'_, W, S>) -> T,
    ) -> Result<T, Error> {
        with(self.world, |world, device| {
            device.log.refuse_in_recording("lending columns")?;
            device.prepare(world.members_mut().as_mut(), &[])?;
            let log = device.log.clone();
            if stream.context().is_some_and(|context| context != log.context.as_raw().0) {
                return Err(other_context().into());
            }
            log.context.share();
            // SAFETY: the stream is borrowed, so it is alive.
            unsafe { log.stream.precede(stream.as_raw()) }?;
            log.note_running("work of another library on lent columns");
            let lent = Lent {
                world: RefCell::new(world),
                log: &log,
                stream,
                columns: RefCell::default(),
                lender: Lender::default(),
            };
            let result = catch_unwind(AssertUnwindSafe(|| work(&lent)));
            // The library's types finish before the end of the work is marked.
            drop(lent);
            forget_entered();
            // SAFETY: the stream is borrowed, so it is alive.
            let ordered = unsafe { log.stream.follow(stream.as_raw()) }.or_else(|error| {
                // In this case the host waits. That fails only if the device has failed, and then nothing runs.
                // SAFETY: as above; `precede` has compared the contexts.
                unsafe { log.stream.synchronize_other(stream.as_raw()) }.map_err(|_| error)
            });
            match (ordered, result) {
                (Err(error), Ok(_)) => Err(error.into()),
                (_, result) => Ok(result),
            }
        })
        .map(|result| result.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

/// The columns of a world, for work on a stream; see [`lend`](Cuda::lend).
pub struct Lent<'a, W, S> {
    world: RefCell<&'a mut W>,
    log: &'a Arc<StreamLog>,
    stream: &'a S,
    /// The class and field of each lent column, and whether it may be written.
    columns: RefCell<Vec<(ClassId, usize, bool)>>,
    lender: Lender,
}

impl<W, S> fmt::Debug for Lent<'_, W, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl<W: World, S: ForeignStream> Lent<'_, W, S> {
    /// A column to read. It holds numbers or arrays of numbers, in a class with `layout = "soa"`.
    ///
    /// # Panics
    ///
    /// If the column was lent for writing, or if objects were removed since `world.compact`.
    pub fn column<'l, C, const K: usize, T>(&'l self, column: Column<C, K>) -> S::Column<'l, T>
    where
        W: Holds<C>,
        C: Field<K, Storage: SliceColumnMut<Row = T>>,
        C::Layout: Contiguous,
        T: Number,
    {
        let (address, len) = self.lend(column, false);
        // SAFETY: the values exist: `lend` prepared them. The world is borrowed until the lender is dropped, so its
        // kernels do not run (I1, I31). This column was not lent for writing, and `lend` refuses that from now on.
        unsafe { self.stream.lend(&self.lender, address, len) }
    }

    /// A column to read and write. It holds numbers or arrays of numbers, in a class with `layout = "soa"`. From now on
    /// the column is current only on the device.
    ///
    /// # Panics
    ///
    /// If the column was lent before in the same call, or if objects were removed since `world.compact`.
    pub fn column_mut<'l, C, const K: usize, T>(&'l self, column: Column<C, K>) -> S::ColumnMut<'l, T>
    where
        W: Holds<C>,
        C: Field<K, Storage: SliceColumnMut<Row = T>>,
        C::Layout: Contiguous,
        T: Number,
    {
        let (address, len) = self.lend(column, true);
        // SAFETY: the values exist: `lend` prepared them. The world is borrowed until the lender is dropped, so its
        // kernels do not run (I1, I31). This column was not lent, and `lend` refuses to lend it again. Every bit
        // pattern is a number.
        unsafe { self.stream.lend_mut(&self.lender, address, len) }
    }

    /// Address and length of a contiguous column of `T`; records the column as lent.
    fn lend<C, const K: usize, T>(&self, column: Column<C, K>, is_mut: bool) -> (u64, usize)
    where
        W: Holds<C>,
        C: Field<K, Storage: SliceColumnMut<Row = T>>,
        C::Layout: Contiguous,
    {
        {
            let mut lent = self.columns.borrow_mut();
            let mut same = lent.iter().filter(|&&(class, field, _)| class == C::ID && field == K);
            assert!(
                !same.any(|&(.., was_mut)| is_mut || was_mut),
                "column {column:?} is lent already, until the end of `lend`: borrow it once, or twice to read"
            );
            lent.push((C::ID, K, is_mut));
        }
        let mut world = self.world.borrow_mut();
        let objects = Holds::<C>::objects_mut(&mut **world);
        if let holes @ 1.. = <dyn AnyObjects>::holes(objects) {
            has_holes(C::NAME, holes as u32);
        }
        let (len, field) = (objects.len(), const { FieldSet::from_bits(1 << K) });
        if len == 0 {
            return (0, 0);
        }
        let spans = objects.spans(field, 0, len);
        // `SliceColumnMut` and `Contiguous` ensure this.
        let [span] = spans.as_slice() else { unreachable!("column {column:?} is in several pieces") };
        assert_eq!((span.rows, span.width), (1, len * size_of::<T>()), "column {column:?}");
        let columns = DeviceColumns::of(objects, self.log).expect("columns that were prepared");
        let address = columns.address(span).expect("a column that was prepared");
        if is_mut {
            // SAFETY: `prepare` copied all objects to the columns, and the work changes this column there (I26).
            unsafe { AnyObjects::copies(objects).changed(self.log.number(), field) };
        }
        (address, len)
    }
}

/// The error for a stream of another context.
fn other_context() -> GpuError {
    GpuError::ForeignStream {
        reason: String::from("it belongs to another context than the world; call `sim.cuda().open_in(&context)` first"),
    }
}
