//! Streams: ordered work on a device, with events and recorded sequences.

mod event;
mod fence;
mod graph;
mod repeated;
mod together;

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ikra_runtime::error::GpuError;

pub use event::Event;
pub(crate) use fence::Fence;
use fence::Fences;
use graph::Capture;
pub use graph::Graph;

use super::api::{Copy2d, LaunchAttribute, LaunchConfig, RawContext, RawStream};
use super::context::Context;
use super::memory::Memory;
use super::module::Function;
use super::status::check;

/// Work that a device does in order, while the host continues.
#[derive(Debug)]
pub struct Stream {
    context: Context,
    raw: RawStream,
    /// Whether the latest work on it is a kernel.
    ends_in_kernel: AtomicBool,
    fences: Arc<Fences>,
}

/// Threads of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Rows of these threads, the block's second dimension.
    pub rows: u32,
    /// Shared memory of a block in bytes.
    pub shared_bytes: u32,
}

impl Grid {
    /// One thread for what a column of threads does here.
    #[must_use]
    pub(crate) const fn in_one_row(self) -> Self {
        Self { blocks: self.blocks.div_ceil(self.rows), rows: 1, ..self }
    }
}

/// Pieces of memory at equal distances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pieces {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) width: usize,
    pub(crate) rows: usize,
    pub(crate) pitch: usize,
}

/// `CU_STREAM_NON_BLOCKING`
const NON_BLOCKING: u32 = 1;
/// `CU_MEMORYTYPE_DEVICE`
const DEVICE: u32 = 2;

impl Stream {
    /// A new stream.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    pub fn new(context: &Context) -> Result<Self, GpuError> {
        let api = context.enter()?;
        let mut raw = RawStream::NULL;
        // SAFETY: the pointer leads to a handle.
        check(api, "cuStreamCreate", unsafe { (api.stream_create)(&raw mut raw, NON_BLOCKING) })?;
        let fences = Fences::new(context);
        Ok(Self { context: context.clone(), raw, ends_in_kernel: AtomicBool::new(false), fences })
    }

    /// Records that the latest work on the stream is not a kernel.
    fn note_other_work(&self) {
        self.ends_in_kernel.store(false, Ordering::Relaxed);
    }

    /// Waits for all work so far.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] if a kernel failed.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        let api = self.context.enter_again()?;
        // SAFETY: the stream is alive.
        check(api, "cuStreamSynchronize", unsafe { (api.stream_synchronize)(self.raw) })
    }

    /// Starts a kernel. If the kernel waits by itself, and directly follows another one, it starts
    /// [early](super::waiting), while that one ends.
    ///
    /// # Errors
    ///
    /// [`GpuError::Driver`] if the launch is refused; [`GpuError::DeviceLost`] after a fault.
    ///
    /// # Safety
    ///
    /// The arguments point to values of the types that the kernel takes. The kernel's use of them is sound until the
    /// stream is synchronised. The function or its module is kept until then.
    pub unsafe fn launch(&self, function: &Function, grid: Grid, arguments: &[*const ()]) -> Result<(), GpuError> {
        // Only read, in spite of its type.
        let arguments = arguments.as_ptr().cast_mut().cast::<*mut c_void>();
        let is_after_kernel = self.ends_in_kernel.load(Ordering::Relaxed);
        let api = self.context.enter_again()?;
        let (call, status) = match api.launch_with {
            Some(launch) if function.is_waiting && is_after_kernel => {
                let attribute = LaunchAttribute::early();
                let config = LaunchConfig {
                    blocks: [grid.blocks, 1, 1],
                    threads: [grid.threads / grid.rows, grid.rows, 1],
                    shared_bytes: grid.shared_bytes,
                    stream: self.raw,
                    attributes: &raw const attribute,
                    attribute_count: 1,
                };
                // SAFETY: by the caller, and the configuration has the driver's layout. No thread accesses memory
                // before it has waited for the previous kernel in the stream, by `Function::is_waiting`. A kernel is
                // done when all its threads are. Each of them had waited for the kernel before, and so on until a
                // kernel that was started after everything before it (I28). If another host thread inserts a copy
                // between them, the driver starts the kernel after the copy: it starts kernels early only after
                // kernels.
                let status = unsafe { launch(&raw const config, function.raw, arguments, std::ptr::null_mut()) };
                ("cuLaunchKernelEx", status)
            }
            _ => {
                // SAFETY: the arguments point to values of the types that the kernel takes, and its use of them is
                // sound. The driver copies them in this call. The stream is alive.
                let status = unsafe {
                    (api.launch)(
                        function.raw,
                        grid.blocks,
                        1,
                        1,
                        grid.threads / grid.rows,
                        grid.rows,
                        1,
                        grid.shared_bytes,
                        self.raw,
                        arguments,
                        std::ptr::null_mut(),
                    )
                };
                ("cuLaunchKernel", status)
            }
        };
        check(api, call, status)?;
        if !is_after_kernel {
            self.ends_in_kernel.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Copies bytes to the device. The caller may change them when this returns.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    ///
    /// # Safety
    ///
    /// `from` has `len` bytes in memory that is not page-locked, and `to` has room for them.
    pub unsafe fn upload(&self, to: u64, from: *const u8, len: usize) -> Result<(), GpuError> {
        if len == 0 {
            return Ok(());
        }
        self.note_other_work();
        let api = self.context.enter_again()?;
        // SAFETY: by the caller. From pageable memory the call returns when the bytes have been staged.
        check(api, "cuMemcpyHtoDAsync", unsafe { (api.copy_up)(to, from.cast(), len, self.raw) })
    }

    /// Copies bytes to the host. They have arrived when the stream has been synchronised.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] if a kernel failed.
    ///
    /// # Safety
    ///
    /// `from` has `len` bytes, and `to` has room for them until the stream is synchronised.
    pub unsafe fn download(&self, to: *mut u8, from: u64, len: usize) -> Result<(), GpuError> {
        if len == 0 {
            return Ok(());
        }
        self.note_other_work();
        let api = self.context.enter_again()?;
        // SAFETY: `from` has `len` bytes, and `to` has room for them until the stream is synchronised. The stream is
        // alive.
        check(api, "cuMemcpyDtoHAsync", unsafe { (api.copy_down)(to.cast(), from, len, self.raw) })
    }

    /// Copies pieces of device memory to other device memory.
    ///
    /// # Safety
    ///
    /// The pieces are within live allocations, and nothing else uses the destination.
    pub(crate) unsafe fn copy(&self, pieces: Pieces) -> Result<(), GpuError> {
        let Pieces { from, to, width, rows, pitch } = pieces;
        if width == 0 || rows == 0 {
            return Ok(());
        }
        self.note_other_work();
        let api = self.context.enter_again()?;
        if rows == 1 || width == pitch {
            // SAFETY: the pieces are contiguous within live allocations, and nothing else uses the destination.
            return check(api, "cuMemcpyDtoDAsync", unsafe { (api.copy_within)(to, from, width * rows, self.raw) });
        }
        let copy = Copy2d {
            src_x: 0,
            src_y: 0,
            src_memory_type: DEVICE,
            src_host: std::ptr::null(),
            src_device: from,
            src_array: std::ptr::null_mut(),
            src_pitch: pitch,
            dst_x: 0,
            dst_y: 0,
            dst_memory_type: DEVICE,
            dst_host: std::ptr::null_mut(),
            dst_device: to,
            dst_array: std::ptr::null_mut(),
            dst_pitch: pitch,
            width,
            height: rows,
        };
        // SAFETY: all pieces are within live allocations, and nothing else uses the destination.
        check(api, "cuMemcpy2DAsync", unsafe { (api.copy_2d)(&raw const copy, self.raw) })
    }

    /// Fills device memory with zeros.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    pub fn clear(&self, memory: &mut Memory) -> Result<(), GpuError> {
        // SAFETY: a live allocation of this length, borrowed exclusively.
        unsafe { self.zero(memory.address(), memory.len()) }
    }

    /// Fills a part of device memory with zeros.
    ///
    /// # Safety
    ///
    /// The address has `len` bytes of a live allocation, and nothing else uses them.
    pub(crate) unsafe fn zero(&self, address: u64, len: usize) -> Result<(), GpuError> {
        // SAFETY: passed on.
        unsafe { self.fill(address, 0, len) }
    }

    /// Fills a part of device memory with a byte.
    ///
    /// # Safety
    ///
    /// As for [`zero`](Self::zero).
    pub(crate) unsafe fn fill(&self, address: u64, byte: u8, len: usize) -> Result<(), GpuError> {
        if len == 0 {
            return Ok(());
        }
        self.note_other_work();
        let api = self.context.enter()?;
        // SAFETY: `len` bytes of a live allocation, and nothing else uses them.
        check(api, "cuMemsetD8Async", unsafe { (api.fill)(address, byte, len, self.raw) })
    }

    /// Records the work that `work` puts on this stream, without running it. If `work` fails or panics, nothing is
    /// recorded, and the stream is as before.
    ///
    /// # Errors
    ///
    /// The errors of `work`; [`GpuError::Driver`] if a part of it cannot be recorded.
    pub fn record<T, E: From<GpuError>>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<(Graph, T), E> {
        let capture = Capture::begin(self)?;
        let result = work()?;
        Ok((capture.end()?.instantiate()?, result))
    }

    /// Runs recorded work.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    ///
    /// # Safety
    ///
    /// The recorded launches are still sound.
    pub unsafe fn replay(&self, graph: &Graph) -> Result<(), GpuError> {
        self.note_other_work();
        let api = self.context.enter_again()?;
        // SAFETY: by the caller; the graph is alive.
        check(api, "cuGraphLaunch", unsafe { (api.graph_launch)(graph.raw, self.raw) })
    }

    /// Marks the current position in the stream.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    pub fn mark(&self) -> Result<Event, GpuError> {
        self.note_other_work();
        // SAFETY: the stream is alive.
        unsafe { Event::record(&self.context, self.raw) }
    }

    /// Copies bytes from memory of a context, of this or of another device.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] after a fault.
    ///
    /// # Safety
    ///
    /// Both addresses have `len` bytes of live allocations, until the copy is done. Nothing else uses the destination, and
    /// nothing changes the source.
    pub(crate) unsafe fn copy_across(
        &self,
        to: u64,
        (owner, from): (&Context, u64),
        len: usize,
    ) -> Result<(), GpuError> {
        if len == 0 {
            return Ok(());
        }
        self.note_other_work();
        let api = self.context.enter_again()?;
        if owner.as_raw() == self.context.as_raw() {
            // SAFETY: by the caller.
            return check(api, "cuMemcpyDtoDAsync", unsafe { (api.copy_within)(to, from, len, self.raw) });
        }
        let (own, other) = (self.context.as_raw(), owner.as_raw());
        // SAFETY: by the caller; both contexts are alive.
        check(api, "cuMemcpyPeerAsync", unsafe { (api.copy_across)(to, own, from, other, len, self.raw) })
    }

    /// Makes another library's stream wait for all work so far on this one.
    ///
    /// # Errors
    ///
    /// [`GpuError::ForeignStream`] if the stream belongs to another context, or is being recorded;
    /// [`GpuError::DeviceLost`] after a fault.
    ///
    /// # Safety
    ///
    /// `other` is a live stream.
    pub(crate) unsafe fn precede(&self, other: *mut c_void) -> Result<(), GpuError> {
        self.note_other_work();
        let api = self.context.enter()?;
        let (other, mut context) = (RawStream(other), RawContext::NULL);
        // SAFETY: by the caller; the pointer leads to a handle.
        check(api, "cuStreamGetCtx", unsafe { (api.stream_context)(other, &raw mut context) })?;
        if context != self.context.as_raw() {
            return Err(refused(
                "it belongs to another context than the world; call `sim.cuda().open_in(&context)` first",
            ));
        }
        // SAFETY: the other stream is alive.
        unsafe { self.refuse_capture(other) }?;
        let fence = self.fence()?;
        // SAFETY: the other stream and the event are alive.
        check(api, "cuStreamWaitEvent", unsafe { (api.stream_wait)(other, fence.raw, 0) })
    }

    /// Makes this stream wait for all work so far on another library's stream.
    ///
    /// # Errors
    ///
    /// [`GpuError::ForeignStream`] if the stream is being recorded; [`GpuError::DeviceLost`] after a fault.
    ///
    /// # Safety
    ///
    /// `other` is a live stream of the same context.
    pub(crate) unsafe fn follow(&self, other: *mut c_void) -> Result<(), GpuError> {
        self.context.enter()?;
        let other = RawStream(other);
        // SAFETY: the other stream is alive.
        unsafe { self.refuse_capture(other) }?;
        // SAFETY: the other stream is alive, and of this context.
        let fence = unsafe { self.fence_of(other) }?;
        self.wait(&fence)
    }

    /// Fails if another library's stream is being recorded: waiting for it would record this one too.
    ///
    /// # Safety
    ///
    /// `other` is a live stream.
    unsafe fn refuse_capture(&self, other: RawStream) -> Result<(), GpuError> {
        let api = self.context.enter_again()?;
        let mut status = 0;
        // SAFETY: by the caller; the pointer leads to an integer.
        check(api, "cuStreamIsCapturing", unsafe { (api.stream_capturing)(other, &raw mut status) })?;
        if status == 0 { Ok(()) } else { Err(refused("it is being recorded into a graph; end that first")) }
    }

    /// Waits for all work so far on another library's stream.
    ///
    /// # Errors
    ///
    /// [`GpuError::DeviceLost`] if a kernel failed.
    ///
    /// # Safety
    ///
    /// `other` is a live stream of the same context.
    pub(crate) unsafe fn synchronize_other(&self, other: *mut c_void) -> Result<(), GpuError> {
        let api = self.context.enter()?;
        // SAFETY: the other stream is alive, and belongs to the context that was entered.
        check(api, "cuStreamSynchronize", unsafe { (api.stream_synchronize)(RawStream(other)) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Ok(api) = self.context.enter() {
            // SAFETY: created in `new`. The driver finishes its work first.
            let _ = unsafe { (api.stream_destroy)(self.raw) };
        }
    }
}

/// The error for another library's stream that a world cannot work with.
fn refused(reason: &str) -> GpuError {
    GpuError::ForeignStream { reason: reason.to_owned() }
}
