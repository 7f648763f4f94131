//! The functions of the CUDA driver API that are used, bound when first needed.
//!
//! Nothing is linked: a program with device code starts, and runs on the host, on a machine without a
//! driver. Results are plain numbers, since a newer driver knows more of them than any list here.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// What a function of the driver returns.
pub(crate) type Status = c_uint;
/// An address in device memory.
pub(crate) type DevicePtr = u64;

/// A handle of the driver's: an address that is only handed back to it.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) *mut c_void);
        impl $name {
            pub(crate) const NULL: Self = Self(std::ptr::null_mut());
        }
        // SAFETY: the driver's functions may be called with it from any thread.
        unsafe impl Send for $name {}
        // SAFETY: as for `Send`.
        unsafe impl Sync for $name {}
    )* };
}
handles! {
    /// `CUcontext`
    RawContext;
    /// `CUmodule`
    RawModule;
    /// `CUfunction`
    RawFunction;
    /// `CUstream`
    RawStream;
    /// `CUevent`
    RawEvent;
    /// `CUgraph`
    RawGraph;
    /// `CUgraphExec`
    RawGraphExec;
}

/// `CUDA_MEMCPY2D`
#[repr(C)]
pub(crate) struct Copy2d {
    pub(crate) src_x: usize,
    pub(crate) src_y: usize,
    pub(crate) src_memory_type: c_uint,
    pub(crate) src_host: *const c_void,
    pub(crate) src_device: DevicePtr,
    pub(crate) src_array: *mut c_void,
    pub(crate) src_pitch: usize,
    pub(crate) dst_x: usize,
    pub(crate) dst_y: usize,
    pub(crate) dst_memory_type: c_uint,
    pub(crate) dst_host: *mut c_void,
    pub(crate) dst_device: DevicePtr,
    pub(crate) dst_array: *mut c_void,
    pub(crate) dst_pitch: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// Declares the table: each function with the name of its symbol.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $symbol:literal ($($arg:ident: $ty:ty),*);)*) => {
        /// The driver's functions.
        pub(crate) struct Api {
            $($(#[$doc])* pub(crate) $name: unsafe extern "C" fn($($arg: $ty),*) -> Status,)*
            /// Kept open for as long as the process lives.
            _library: libloading::Library,
        }

        impl Api {
            fn load() -> Result<Self, String> {
                let library = open()?;
                Ok(Self {
                    $($name: {
                        // SAFETY: the driver API's function of this name has this type, in every version since the
                        // symbol's suffix was introduced.
                        let function = unsafe { library.get($symbol) }
                            .map_err(|error| format!("the NVIDIA driver is too old: {error}"))?;
                        *function
                    },)*
                    _library: library,
                })
            }
        }
    };
}

functions! {
    init = b"cuInit\0" (flags: c_uint);
    driver_version = b"cuDriverGetVersion\0" (version: *mut c_int);
    device_count = b"cuDeviceGetCount\0" (count: *mut c_int);
    device_get = b"cuDeviceGet\0" (device: *mut c_int, ordinal: c_int);
    device_name = b"cuDeviceGetName\0" (name: *mut c_char, len: c_int, device: c_int);
    device_memory = b"cuDeviceTotalMem_v2\0" (bytes: *mut usize, device: c_int);
    device_attribute = b"cuDeviceGetAttribute\0" (value: *mut c_int, attribute: c_uint, device: c_int);
    context_retain = b"cuDevicePrimaryCtxRetain\0" (context: *mut RawContext, device: c_int);
    context_release = b"cuDevicePrimaryCtxRelease_v2\0" (device: c_int);
    context_reset = b"cuDevicePrimaryCtxReset_v2\0" (device: c_int);
    context_set = b"cuCtxSetCurrent\0" (context: RawContext);
    mem_info = b"cuMemGetInfo_v2\0" (free: *mut usize, total: *mut usize);
    mem_alloc = b"cuMemAlloc_v2\0" (address: *mut DevicePtr, bytes: usize);
    mem_free = b"cuMemFree_v2\0" (address: DevicePtr);
    host_alloc = b"cuMemHostAlloc\0" (start: *mut *mut c_void, bytes: usize, flags: c_uint);
    host_free = b"cuMemFreeHost\0" (start: *mut c_void);
    copy_up = b"cuMemcpyHtoDAsync_v2\0" (to: DevicePtr, from: *const c_void, bytes: usize, stream: RawStream);
    copy_down = b"cuMemcpyDtoHAsync_v2\0" (to: *mut c_void, from: DevicePtr, bytes: usize, stream: RawStream);
    copy_within = b"cuMemcpyDtoDAsync_v2\0" (to: DevicePtr, from: DevicePtr, bytes: usize, stream: RawStream);
    copy_2d = b"cuMemcpy2DAsync_v2\0" (copy: *const Copy2d, stream: RawStream);
    fill = b"cuMemsetD8Async\0" (address: DevicePtr, byte: u8, bytes: usize, stream: RawStream);
    stream_create = b"cuStreamCreate\0" (stream: *mut RawStream, flags: c_uint);
    stream_destroy = b"cuStreamDestroy_v2\0" (stream: RawStream);
    stream_synchronize = b"cuStreamSynchronize\0" (stream: RawStream);
    capture_begin = b"cuStreamBeginCapture_v2\0" (stream: RawStream, mode: c_uint);
    capture_end = b"cuStreamEndCapture\0" (stream: RawStream, graph: *mut RawGraph);
    graph_instantiate = b"cuGraphInstantiateWithFlags\0" (exec: *mut RawGraphExec, graph: RawGraph, flags: u64);
    graph_launch = b"cuGraphLaunch\0" (exec: RawGraphExec, stream: RawStream);
    graph_exec_destroy = b"cuGraphExecDestroy\0" (exec: RawGraphExec);
    graph_destroy = b"cuGraphDestroy\0" (graph: RawGraph);
    event_create = b"cuEventCreate\0" (event: *mut RawEvent, flags: c_uint);
    event_destroy = b"cuEventDestroy_v2\0" (event: RawEvent);
    event_record = b"cuEventRecord\0" (event: RawEvent, stream: RawStream);
    event_synchronize = b"cuEventSynchronize\0" (event: RawEvent);
    event_elapsed = b"cuEventElapsedTime\0" (milliseconds: *mut f32, start: RawEvent, end: RawEvent);
    module_load = b"cuModuleLoadDataEx\0" (
        module: *mut RawModule, image: *const c_void, count: c_uint, options: *mut c_uint, values: *mut *mut c_void
    );
    module_unload = b"cuModuleUnload\0" (module: RawModule);
    module_function = b"cuModuleGetFunction\0" (function: *mut RawFunction, module: RawModule, name: *const c_char);
    module_global = b"cuModuleGetGlobal_v2\0" (
        address: *mut DevicePtr, bytes: *mut usize, module: RawModule, name: *const c_char
    );
    launch = b"cuLaunchKernel\0" (
        function: RawFunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: RawStream, arguments: *mut *mut c_void, extra: *mut *mut c_void
    );
    error_name = b"cuGetErrorName\0" (status: Status, name: *mut *const c_char);
    error_string = b"cuGetErrorString\0" (status: Status, text: *mut *const c_char);
}

const NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };

fn open() -> Result<libloading::Library, String> {
    for name in NAMES {
        // SAFETY: the driver's library may be loaded at any time.
        if let Ok(library) = unsafe { libloading::Library::new(*name) } {
            return Ok(library);
        }
    }
    Err(format!(
        "there is no NVIDIA driver ({} was not found); install the driver for your GPU, or run on the host",
        NAMES[0]
    ))
}

/// The driver's functions.
///
/// # Errors
///
/// Why there are none, and what to do.
pub(crate) fn api() -> Result<&'static Api, String> {
    static API: OnceLock<Result<Api, String>> = OnceLock::new();
    API.get_or_init(Api::load).as_ref().map_err(Clone::clone)
}
