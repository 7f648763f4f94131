//! A driver whose device is the host's memory: it copies, but runs no kernels. It fails as it is told to:
//! `IKRA_FAKE_DRIVER` holds `function:status` pairs. What it is asked for is printed on standard error.
//!
//! Built by the tests that use it, as a library of its own, with `--cfg old` as one for CUDA 11.2.

#![allow(non_snake_case, missing_docs, clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks, unused_unsafe)]

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn status(function: &str) -> c_uint {
    let plan = std::env::var("IKRA_FAKE_DRIVER").unwrap_or_default();
    let find = |pair: &str| pair.split_once(':').filter(|(name, _)| *name == function)?.1.parse().ok();
    plan.split(',').find_map(find).unwrap_or(0)
}

/// Functions of which only the status matters. On the hosts with CUDA, a function may be called with more arguments
/// than it looks at.
macro_rules! plain {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> c_uint {
            eprintln!("called {}", stringify!($name));
            status(stringify!($name))
        }
    )* };
}
plain! {
    cuInit cuDeviceGetName cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxReset_v2 cuMemGetInfo_v2 cuMemFree_v2
    cuMemFreeHost cuMemcpy2DAsync_v2 cuStreamDestroy_v2 cuStreamSynchronize cuGraphLaunch cuGraphExecDestroy
    cuGraphDestroy cuEventDestroy_v2 cuEventSynchronize cuEventElapsedTime cuModuleUnload cuDeviceGet
    cuDeviceTotalMem_v2 cuDeviceGetAttribute cuCtxGetDevice cuCtxSynchronize cuCtxDestroy_v2
}
#[cfg(not(old))]
plain! { cuGraphInstantiateWithFlags }

/// Functions that do something, if they succeed.
macro_rules! working {
    ($($name:ident ($($arg:ident: $ty:ty),*) $work:block)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> c_uint {
            let status = status(stringify!($name));
            if status == 0 {
                unsafe { $work }
            }
            status
        }
    )* };
}

/// A handle that no other is.
fn handle() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0x1_0000);
    NEXT.fetch_add(0x10, Ordering::Relaxed)
}

const PRIMARY: usize = 0x1000;
thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}
/// The context of each stream.
static STREAMS: Mutex<Option<HashMap<usize, usize>>> = Mutex::new(None);
static CAPTURED: Mutex<Option<HashSet<usize>>> = Mutex::new(None);

fn memory(bytes: usize) -> usize {
    // Of which nobody knows when it is free.
    vec![0_u128; bytes.div_ceil(16)].leak().as_mut_ptr().addr()
}

working! {
    cuDriverGetVersion(version: *mut c_int) { *version = if cfg!(old) { 11020 } else { 13000 } }
    cuDeviceGetCount(count: *mut c_int) { *count = 1 }
    cuDevicePrimaryCtxRetain(context: *mut usize) { *context = PRIMARY }
    cuCtxCreate_v3(context: *mut usize) { *context = handle() }
    cuCtxSetCurrent(context: usize) { CURRENT.set(context) }
    cuCtxGetCurrent(context: *mut usize) { *context = CURRENT.get() }
    cuMemAlloc_v2(address: *mut usize, bytes: usize) { *address = memory(bytes) }
    cuMemHostAlloc(address: *mut usize, bytes: usize) { *address = memory(bytes) }
    cuMemcpyHtoDAsync_v2(to: *mut u8, from: *const u8, bytes: usize) { to.copy_from(from, bytes) }
    cuMemcpyDtoHAsync_v2(to: *mut u8, from: *const u8, bytes: usize) { to.copy_from(from, bytes) }
    cuMemcpyDtoDAsync_v2(to: *mut u8, from: *const u8, bytes: usize) { to.copy_from(from, bytes) }
    cuMemsetD8Async(to: *mut u8, byte: u8, bytes: usize) { to.write_bytes(byte, bytes) }
    cuStreamCreate(stream: *mut usize) {
        *stream = handle();
        STREAMS.lock().unwrap().get_or_insert_default().insert(*stream, CURRENT.get());
    }
    cuStreamGetCtx(stream: usize, context: *mut usize) {
        let known = STREAMS.lock().unwrap().get_or_insert_default().get(&stream).copied();
        *context = known.unwrap_or(CURRENT.get());
    }
    cuStreamBeginCapture_v2(stream: usize) { CAPTURED.lock().unwrap().get_or_insert_default().insert(stream); }
    cuStreamEndCapture(stream: usize, graph: *mut usize) {
        CAPTURED.lock().unwrap().get_or_insert_default().remove(&stream);
        *graph = handle();
    }
    cuStreamIsCapturing(stream: usize, status: *mut c_uint) {
        *status = CAPTURED.lock().unwrap().get_or_insert_default().contains(&stream).into();
    }
    cuEventCreate(event: *mut usize) { *event = handle() }
    cuEventRecord(event: usize, stream: usize) { eprintln!("stream {stream:#x} records event {event:#x}") }
    cuStreamWaitEvent(stream: usize, event: usize) { eprintln!("stream {stream:#x} waits for event {event:#x}") }
    cuModuleGetFunction(function: *mut *const c_char, _module: usize, name: *const c_char) {
        *function = CString::from(CStr::from_ptr(name)).into_raw();
    }
    cuModuleGetGlobal_v2(address: *mut usize, bytes: *mut usize) {
        *bytes = 1 << 16;
        *address = memory(*bytes);
    }
    cuGetErrorString(_error: c_uint, text: *mut *const c_char) { *text = c"in words".as_ptr() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: *const c_char,
    _grid_x: c_uint,
    _grid_y: c_uint,
    _grid_z: c_uint,
    _block_x: c_uint,
    _block_y: c_uint,
    _block_z: c_uint,
    _shared_bytes: c_uint,
    stream: usize,
    arguments: *const *const c_void,
) -> c_uint {
    let name = unsafe { CStr::from_ptr(function) };
    eprintln!("stream {stream:#x} launches {}", name.to_string_lossy());
    // The one kernel that Ikra itself copies with.
    if name == c"ikra_copy" {
        unsafe {
            let (from, to) = ((*arguments).cast::<*const u8>().read(), (*arguments.add(1)).cast::<*mut u8>().read());
            to.copy_from(from, (*arguments.add(2)).cast::<c_uint>().read() as usize);
        }
    }
    status("cuLaunchKernel")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    _module: *mut c_void,
    _image: *const c_void,
    count: c_uint,
    options: *const c_uint,
    values: *const *mut c_char,
) -> c_uint {
    let status = status("cuModuleLoadDataEx");
    for n in 0..count as usize {
        unsafe {
            // `CU_JIT_ERROR_LOG_BUFFER`
            if status != 0 && *options.add(n) == 5 {
                let log = c"ptxas fatal: line 7, unexpected 'nonsense'";
                std::ptr::copy_nonoverlapping(log.as_ptr(), *values.add(n), log.count_bytes() + 1);
            }
        }
    }
    status
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: c_uint, name: *mut *const c_char) -> c_uint {
    let known = match error {
        218 => c"CUDA_ERROR_INVALID_PTX",
        700 => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        _ => return 1,
    };
    unsafe { *name = known.as_ptr() };
    0
}
