//! A driver that fails as it is told to, for `tests/driver.rs`: `IKRA_FAKE_DRIVER` holds `function:status` pairs.
//!
//! Built by the test, as a library of its own, with `--cfg old` as one for CUDA 11.2.

#![allow(non_snake_case, missing_docs)]

use std::ffi::{c_char, c_int, c_uint, c_void};

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
    cuInit cuDeviceGetName cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxReset_v2 cuCtxSetCurrent cuMemGetInfo_v2
    cuMemAlloc_v2 cuMemFree_v2 cuMemHostAlloc cuMemFreeHost cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2
    cuMemcpyDtoDAsync_v2 cuMemcpy2DAsync_v2 cuMemsetD8Async cuStreamCreate cuStreamDestroy_v2 cuStreamSynchronize
    cuStreamWaitEvent cuStreamBeginCapture_v2 cuStreamEndCapture cuGraphLaunch cuGraphExecDestroy cuGraphDestroy
    cuEventCreate cuEventDestroy_v2 cuEventRecord cuEventSynchronize cuEventElapsedTime cuModuleUnload
    cuModuleGetFunction cuModuleGetGlobal_v2 cuLaunchKernel cuDeviceGet cuDeviceTotalMem_v2 cuDeviceGetAttribute
    cuDevicePrimaryCtxRetain cuCtxGetDevice cuStreamGetCtx cuStreamIsCapturing
}
#[cfg(not(old))]
plain! { cuGraphInstantiateWithFlags }

/// # Safety
///
/// As the driver's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> c_uint {
    // SAFETY: by the caller.
    unsafe { *version = if cfg!(old) { 11020 } else { 13000 } };
    status("cuDriverGetVersion")
}

/// # Safety
///
/// As the driver's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> c_uint {
    // SAFETY: by the caller.
    unsafe { *count = 1 };
    status("cuDeviceGetCount")
}

/// # Safety
///
/// As the driver's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    _module: *mut c_void,
    _image: *const c_void,
    count: c_uint,
    options: *const c_uint,
    values: *const *mut c_char,
) -> c_uint {
    for n in 0..count as usize {
        // `CU_JIT_ERROR_LOG_BUFFER`
        // SAFETY: by the caller, who gives room for more.
        unsafe {
            if *options.add(n) == 5 {
                let log = c"ptxas fatal: line 7, unexpected 'nonsense'";
                std::ptr::copy_nonoverlapping(log.as_ptr(), *values.add(n), log.count_bytes() + 1);
            }
        }
    }
    status("cuModuleLoadDataEx")
}

/// # Safety
///
/// As the driver's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: c_uint, name: *mut *const c_char) -> c_uint {
    let known = match error {
        218 => c"CUDA_ERROR_INVALID_PTX",
        700 => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        _ => return 1,
    };
    // SAFETY: by the caller.
    unsafe { *name = known.as_ptr() };
    0
}

/// # Safety
///
/// As the driver's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(_error: c_uint, text: *mut *const c_char) -> c_uint {
    // SAFETY: by the caller.
    unsafe { *text = c"in words".as_ptr() };
    0
}
