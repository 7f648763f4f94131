//! The functions of the CUDA driver API that Ikra uses, bound when they are first needed.
//!
//! Nothing is linked: on a machine without a driver, a program with device code still starts, and runs on the host.
//! `IKRA_DRIVER` names another library than the system's driver. Results are plain numbers, since a newer driver knows
//! more of them than any list here.

use std::ffi::{OsStr, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::sync::{PoisonError, RwLock};

/// The result of a driver function.
pub(crate) type Status = c_uint;
/// An address in device memory.
pub(crate) type DevicePtr = u64;

/// A handle of the driver: an address that is only passed back to the driver.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) *mut c_void);
        impl $name {
            pub(crate) const NULL: Self = Self(std::ptr::null_mut());
        }
        // SAFETY: any thread may call the driver's functions with it.
        unsafe impl Send for $name {}
        // SAFETY: a shared handle is only copied.
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
    /// `CUgraphNode`
    RawNode;
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

/// `CUgraphNodeParams` of a node that repeats a graph: 256 bytes, as those of all nodes.
#[repr(C)]
pub(crate) struct LoopNode {
    pub(crate) kind: c_uint,
    pub(crate) reserved: [c_uint; 3],
    pub(crate) condition: u64,
    pub(crate) form: c_uint,
    pub(crate) graphs: c_uint,
    /// Set by the driver: an array of the node's graphs, which belong to the node.
    pub(crate) bodies: *const RawGraph,
    pub(crate) context: RawContext,
    pub(crate) rest: [u64; 26],
}

impl LoopNode {
    /// `CU_GRAPH_NODE_TYPE_CONDITIONAL`
    const CONDITIONAL: c_uint = 13;
    /// `CU_GRAPH_COND_TYPE_WHILE`
    const WHILE: c_uint = 1;

    /// A node that repeats a graph as long as the condition is not 0.
    pub(crate) fn new(condition: u64, context: RawContext) -> Self {
        let (kind, form, bodies) = (Self::CONDITIONAL, Self::WHILE, std::ptr::null());
        Self { kind, reserved: [0; 3], condition, form, graphs: 1, bodies, context, rest: [0; 26] }
    }
}

/// `CUlaunchConfig`
#[repr(C)]
pub(crate) struct LaunchConfig {
    pub(crate) blocks: [c_uint; 3],
    pub(crate) threads: [c_uint; 3],
    pub(crate) shared_bytes: c_uint,
    pub(crate) stream: RawStream,
    pub(crate) attributes: *const LaunchAttribute,
    pub(crate) attribute_count: c_uint,
}

/// `CUlaunchAttribute`, whose value has 64 bytes, aligned to 8.
#[repr(C, align(8))]
pub(crate) struct LaunchAttribute {
    pub(crate) id: c_uint,
    pub(crate) padding: c_uint,
    pub(crate) value: [c_int; 16],
}

impl LaunchAttribute {
    /// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`
    const EARLY: c_uint = 6;
    /// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`
    const TOGETHER: c_uint = 2;

    /// The kernel may start while the kernel before it in the stream ends.
    pub(crate) fn early() -> Self {
        Self::on(Self::EARLY)
    }

    /// All blocks run at the same time.
    pub(crate) fn together() -> Self {
        Self::on(Self::TOGETHER)
    }

    fn on(id: c_uint) -> Self {
        let mut value = [0; 16];
        value[0] = 1;
        Self { id, padding: 0, value }
    }
}

/// Declares the table: each function with its symbol's name, and which functions older drivers lack.
macro_rules! functions {
    (
        $($(#[$doc:meta])* $name:ident = $symbol:literal ($($arg:ident: $ty:ty),*);)*
        [newer] $($new_name:ident = $new_symbol:literal ($($new_arg:ident: $new_ty:ty),*);)*
    ) => {
        /// The driver's functions.
        pub(crate) struct Api {
            $($(#[$doc])* pub(crate) $name: unsafe extern "C" fn($($arg: $ty),*) -> Status,)*
            $(
                /// `Some` if the driver is new enough.
                pub(crate) $new_name: Option<unsafe extern "C" fn($($new_arg: $new_ty),*) -> Status>,
            )*
            /// The name under which its library was found.
            pub(crate) library_name: String,
            /// Kept open as long as the process lives.
            _library: libloading::Library,
        }

        impl Api {
            /// Binds all functions, in the first of these libraries that exists.
            fn load(names: &[&str]) -> Result<Self, String> {
                let (library, name) = open(names)?;
                Self::bind(library, name.to_owned())
            }

            /// Binds all functions of a library.
            fn bind(library: libloading::Library, library_name: String) -> Result<Self, String> {
                Ok(Self {
                    $($name: {
                        // SAFETY: the driver API's function of this name has this type, in every version since the
                        // symbol's suffix was introduced.
                        let function = unsafe { library.get($symbol) }.map_err(|_| too_old(&library, $symbol))?;
                        *function
                    },)*
                    // SAFETY: if the library has a function of this name, it has this type, as the symbol's suffix
                    // determines.
                    $($new_name: unsafe { library.get($new_symbol) }.ok().map(|function| *function),)*
                    library_name,
                    _library: library,
                })
            }
        }
    };
}

functions! {
    init = "cuInit" (flags: c_uint);
    driver_version = "cuDriverGetVersion" (version: *mut c_int);
    device_count = "cuDeviceGetCount" (count: *mut c_int);
    device_get = "cuDeviceGet" (device: *mut c_int, ordinal: c_int);
    device_name = "cuDeviceGetName" (name: *mut c_char, len: c_int, device: c_int);
    device_memory = "cuDeviceTotalMem_v2" (bytes: *mut usize, device: c_int);
    device_attribute = "cuDeviceGetAttribute" (value: *mut c_int, attribute: c_uint, device: c_int);
    context_retain = "cuDevicePrimaryCtxRetain" (context: *mut RawContext, device: c_int);
    context_release = "cuDevicePrimaryCtxRelease_v2" (device: c_int);
    context_reset = "cuDevicePrimaryCtxReset_v2" (device: c_int);
    context_set = "cuCtxSetCurrent" (context: RawContext);
    context_device = "cuCtxGetDevice" (device: *mut c_int);
    peer_enable = "cuCtxEnablePeerAccess" (peer: RawContext, flags: c_uint);
    limit_get = "cuCtxGetLimit" (value: *mut usize, limit: c_uint);
    limit_set = "cuCtxSetLimit" (limit: c_uint, value: usize);
    mem_info = "cuMemGetInfo_v2" (free: *mut usize, total: *mut usize);
    mem_alloc = "cuMemAlloc_v2" (address: *mut DevicePtr, bytes: usize);
    mem_free = "cuMemFree_v2" (address: DevicePtr);
    host_alloc = "cuMemHostAlloc" (start: *mut *mut c_void, bytes: usize, flags: c_uint);
    host_free = "cuMemFreeHost" (start: *mut c_void);
    copy_up = "cuMemcpyHtoDAsync_v2" (to: DevicePtr, from: *const c_void, bytes: usize, stream: RawStream);
    copy_down = "cuMemcpyDtoHAsync_v2" (to: *mut c_void, from: DevicePtr, bytes: usize, stream: RawStream);
    copy_within = "cuMemcpyDtoDAsync_v2" (to: DevicePtr, from: DevicePtr, bytes: usize, stream: RawStream);
    copy_across = "cuMemcpyPeerAsync" (
        to: DevicePtr, to_context: RawContext, from: DevicePtr, from_context: RawContext, bytes: usize, stream: RawStream
    );
    copy_2d = "cuMemcpy2DAsync_v2" (copy: *const Copy2d, stream: RawStream);
    fill = "cuMemsetD8Async" (address: DevicePtr, byte: u8, bytes: usize, stream: RawStream);
    stream_create = "cuStreamCreate" (stream: *mut RawStream, flags: c_uint);
    stream_destroy = "cuStreamDestroy_v2" (stream: RawStream);
    stream_synchronize = "cuStreamSynchronize" (stream: RawStream);
    stream_context = "cuStreamGetCtx" (stream: RawStream, context: *mut RawContext);
    stream_capturing = "cuStreamIsCapturing" (stream: RawStream, status: *mut c_uint);
    stream_wait = "cuStreamWaitEvent" (stream: RawStream, event: RawEvent, flags: c_uint);
    capture_begin = "cuStreamBeginCapture_v2" (stream: RawStream, mode: c_uint);
    capture_end = "cuStreamEndCapture" (stream: RawStream, graph: *mut RawGraph);
    graph_instantiate = "cuGraphInstantiateWithFlags" (exec: *mut RawGraphExec, graph: RawGraph, flags: u64);
    graph_launch = "cuGraphLaunch" (exec: RawGraphExec, stream: RawStream);
    graph_exec_destroy = "cuGraphExecDestroy" (exec: RawGraphExec);
    graph_destroy = "cuGraphDestroy" (graph: RawGraph);
    event_create = "cuEventCreate" (event: *mut RawEvent, flags: c_uint);
    event_destroy = "cuEventDestroy_v2" (event: RawEvent);
    event_record = "cuEventRecord" (event: RawEvent, stream: RawStream);
    event_synchronize = "cuEventSynchronize" (event: RawEvent);
    event_elapsed = "cuEventElapsedTime" (milliseconds: *mut f32, start: RawEvent, end: RawEvent);
    module_load = "cuModuleLoadDataEx" (
        module: *mut RawModule, image: *const c_void, count: c_uint, options: *mut c_uint, values: *mut *mut c_void
    );
    module_unload = "cuModuleUnload" (module: RawModule);
    module_function = "cuModuleGetFunction" (function: *mut RawFunction, module: RawModule, name: *const c_char);
    module_global = "cuModuleGetGlobal_v2" (
        address: *mut DevicePtr, bytes: *mut usize, module: RawModule, name: *const c_char
    );
    function_attribute = "cuFuncGetAttribute" (value: *mut c_int, attribute: c_int, function: RawFunction);
    resident_blocks = "cuOccupancyMaxActiveBlocksPerMultiprocessor" (blocks: *mut c_int, function: RawFunction, threads: c_int, shared_bytes: usize);
    launch = "cuLaunchKernel" (
        function: RawFunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: RawStream, arguments: *mut *mut c_void, extra: *mut *mut c_void
    );
    error_name = "cuGetErrorName" (status: Status, name: *mut *const c_char);
    error_string = "cuGetErrorString" (status: Status, text: *mut *const c_char);

    [newer]
    launch_with = "cuLaunchKernelEx" (
        config: *const LaunchConfig, function: RawFunction, arguments: *mut *mut c_void, extra: *mut *mut c_void
    );
    graph_create = "cuGraphCreate" (graph: *mut RawGraph, flags: c_uint);
    graph_nodes = "cuGraphGetNodes" (graph: RawGraph, nodes: *mut RawNode, count: *mut usize);
    graph_condition = "cuGraphConditionalHandleCreate" (
        condition: *mut u64, graph: RawGraph, context: RawContext, value: c_uint, flags: c_uint
    );
    graph_add = "cuGraphAddNode_v2" (
        node: *mut RawNode, graph: RawGraph, after: *const RawNode, edges: *const c_void, after_count: usize,
        parameters: *mut LoopNode
    );
    capture_into = "cuStreamBeginCaptureToGraph" (
        stream: RawStream, graph: RawGraph, after: *const RawNode, edges: *const c_void, after_count: usize,
        mode: c_uint
    );
}

const NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };

/// Opens the first of these libraries that exists, and returns its name too.
fn open<'a>(names: &[&'a str]) -> Result<(libloading::Library, &'a str), String> {
    let mut why = String::new();
    for name in names {
        // SAFETY: the driver's library may be loaded at any time.
        match unsafe { libloading::Library::new(*name) } {
            Ok(library) => return Ok((library, name)),
            // The error for the first name: drivers usually have that one.
            Err(error) if why.is_empty() => why = reason(&error, OsStr::new(name)),
            Err(_) => {}
        }
    }
    Err(format!("there is no NVIDIA driver ({why}); install the driver for your GPU, or run on the host"))
}

/// The error text for a driver that lacks a function.
fn too_old(library: &libloading::Library, symbol: &str) -> String {
    let mut version = 0;
    // SAFETY: the driver API's function of this name has this type, in every version.
    let known = unsafe { library.get::<unsafe extern "C" fn(*mut c_int) -> Status>("cuDriverGetVersion") };
    // SAFETY: the pointer leads to an integer.
    let is_known = known.is_ok_and(|function| unsafe { function(&raw mut version) } == 0);
    let which = if is_known { format!(" for CUDA {}.{}", version / 1000, version % 1000 / 10) } else { String::new() };
    format!("the NVIDIA driver{which} has no `{symbol}`: install one for CUDA 11.4 or newer, or run on the host")
}

/// The reason why a library cannot be opened.
fn reason(error: &libloading::Error, name: &OsStr) -> String {
    std::error::Error::source(error).map_or_else(|| format!("{} was not found", name.display()), ToString::to_string)
}

/// The variable that names the driver's library.
const VARIABLE: &str = "IKRA_DRIVER";

/// Binds the library that the user or the program named.
///
/// # Safety
///
/// The library may be loaded, and its functions with names of the driver API have these types.
unsafe fn named(path: &OsStr, who: &str) -> Result<Api, String> {
    let what_to_do = "name the library of a driver or of the emulator, or run on the host";
    // SAFETY: the library may be loaded: its initialisers do no harm.
    let library = unsafe { libloading::Library::new(path) }
        .map_err(|error| format!("{who} cannot be opened as a driver ({}): {what_to_do}", reason(&error, path)))?;
    Api::bind(library, path.display().to_string()).map_err(|error| format!("{who}: {error}"))
}

/// The driver's functions, once they are found. If no driver was found, each call searches again.
static API: RwLock<Option<&'static Api>> = RwLock::new(None);

/// The driver's functions, from the library that `IKRA_DRIVER` names, or from the system's driver.
///
/// # Errors
///
/// The reason why no driver was found, and the next step.
pub(crate) fn api() -> Result<&'static Api, String> {
    if let Some(api) = *API.read().unwrap_or_else(PoisonError::into_inner) {
        return Ok(api);
    }
    let mut found = API.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(api) = *found {
        return Ok(api);
    }
    let api = match std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        // SAFETY: by setting the variable, the user declares that the library is a driver.
        Some(path) => unsafe { named(&path, &format!("{VARIABLE}={}", path.display())) },
        None => Api::load(NAMES),
    };
    Ok(*found.insert(Box::leak(Box::new(api?))))
}

/// Uses the library at a path as the driver, instead of the usual one.
///
/// # Errors
///
/// The reason why it cannot be a driver, and the next step.
///
/// # Safety
///
/// The library may be loaded, its functions with names of the driver API have these types, and no handle of another
/// driver is in use.
pub(crate) unsafe fn replace(path: &Path) -> Result<(), String> {
    // SAFETY: the library may be loaded, and its functions have the driver's types.
    let api = unsafe { named(path.as_os_str(), &path.display().to_string()) }?;
    *API.write().unwrap_or_else(PoisonError::into_inner) = Some(Box::leak(Box::new(api)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(names: &[&str]) -> String {
        Api::load(names).err().expect("a driver that cannot be one")
    }

    #[test]
    fn a_missing_driver_is_an_error_that_says_what_to_do() {
        let said = failure(&["libikra-no-such-driver.so.1", "libikra-no-such-driver.so"]);
        assert!(said.starts_with("there is no NVIDIA driver (") && said.contains("or run on the host"), "{said}");
        assert!(said.contains("no-such-driver.so.1"), "the first name: {said}");
    }

    #[test]
    fn a_named_library_that_is_not_there_is_an_error_that_names_the_variable() {
        // SAFETY: this library does not exist.
        let said = unsafe { named(OsStr::new("/nowhere/driver.so"), "IKRA_DRIVER=/nowhere/driver.so") }.err().unwrap();
        assert!(said.starts_with("IKRA_DRIVER=/nowhere/driver.so cannot be opened as a driver ("), "{said}");
        assert!(said.ends_with("or run on the host"), "{said}");
    }

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn a_library_without_the_functions_is_an_error_that_names_one() {
        let said = failure(&["libikra-no-such-driver.so.1", "libc.so.6"]);
        assert!(said.starts_with("the NVIDIA driver has no `cuInit`: install one for CUDA 11.4"), "{said}");
    }
}
