//! Contexts: primary ones and others, which one is current, and their limits.

use std::ffi::{c_int, c_uint, c_void};

use super::state::{Handle, call, current_handle, put, with_current};
use super::status::{INVALID_CONTEXT, INVALID_VALUE, OUT_OF_MEMORY, Status};

/// `CU_LIMIT_STACK_SIZE`, `CU_LIMIT_PRINTF_FIFO_SIZE`, `CU_LIMIT_MALLOC_HEAP_SIZE`
const STACK: c_uint = 0;
const PRINTF: c_uint = 1;
const HEAP: c_uint = 2;
/// The longest stack of a thread.
const LONGEST_STACK: usize = 512 * 1024;
/// Threads that a multiprocessor runs at the same time.
const THREADS: usize = 2048;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) -> Status {
    call("cuDevicePrimaryCtxRetain", |driver| {
        let device = driver.device(device)?;
        let primary = driver.gpus[device].primary;
        if let Some(lost) = driver.contexts.get(&primary).and_then(|context| context.lost) {
            return Err(lost);
        }
        // SAFETY: the caller passes null, or a pointer to a handle.
        unsafe { put(context, primary) }?;
        if !driver.contexts.contains_key(&primary) {
            driver.open(primary, device);
        }
        driver.gpus[device].references += 1;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> Status {
    call("cuDevicePrimaryCtxRelease_v2", |driver| {
        let device = driver.device(device)?;
        let gpu = &mut driver.gpus[device];
        gpu.references = gpu.references.checked_sub(1).ok_or(INVALID_CONTEXT)?;
        let (primary, is_last) = (gpu.primary, gpu.references == 0);
        if is_last {
            driver.close(primary);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxReset_v2(device: c_int) -> Status {
    call("cuDevicePrimaryCtxReset_v2", |driver| {
        let device = driver.device(device)?;
        let primary = driver.gpus[device].primary;
        // Its memory, modules and streams are gone; a holder of a reference keeps it.
        if driver.contexts.contains_key(&primary) {
            driver.close(primary);
            driver.open(primary, device);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int) -> Status {
    call("cuDevicePrimaryCtxGetState", |driver| {
        let device = driver.device(device)?;
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(flags, 0) }?;
        // SAFETY: the same.
        unsafe { put(active, c_int::from(driver.gpus[device].references > 0)) }
    })
}

/// Makes a context that is not the primary one, and the current one.
///
/// # Safety
///
/// `context` is null, or a pointer to a handle.
unsafe fn create(name: &'static str, context: *mut Handle, device: c_int) -> Status {
    call(name, |driver| {
        let device = driver.device(device)?;
        let handle = driver.handle();
        // SAFETY: by the caller.
        unsafe { put(context, handle) }?;
        driver.open(handle, device);
        with_current(|stack| stack.push(handle));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v2(context: *mut Handle, _flags: c_uint, device: c_int) -> Status {
    // SAFETY: by the caller.
    unsafe { create("cuCtxCreate_v2", context, device) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v3(
    context: *mut Handle,
    _affinities: *mut c_void,
    _count: c_int,
    _flags: c_uint,
    device: c_int,
) -> Status {
    // SAFETY: by the caller.
    unsafe { create("cuCtxCreate_v3", context, device) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v4(
    context: *mut Handle,
    _parameters: *mut c_void,
    _flags: c_uint,
    device: c_int,
) -> Status {
    // SAFETY: by the caller.
    unsafe { create("cuCtxCreate_v4", context, device) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDestroy_v2(context: Handle) -> Status {
    call("cuCtxDestroy_v2", |driver| {
        let is_primary = driver.gpus.iter().any(|gpu| gpu.primary == context);
        if is_primary || !driver.contexts.contains_key(&context) {
            return Err(INVALID_CONTEXT);
        }
        driver.close(context);
        with_current(|stack| {
            if stack.last() == Some(&context) {
                stack.pop();
            }
        });
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCurrent(context: Handle) -> Status {
    call("cuCtxSetCurrent", |driver| {
        if context != 0 && !driver.contexts.contains_key(&context) {
            return Err(INVALID_CONTEXT);
        }
        with_current(|stack| {
            stack.pop();
            if context != 0 {
                stack.push(context);
            }
        });
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPushCurrent_v2(context: Handle) -> Status {
    call("cuCtxPushCurrent_v2", |driver| {
        if !driver.contexts.contains_key(&context) {
            return Err(INVALID_CONTEXT);
        }
        with_current(|stack| stack.push(context));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPopCurrent_v2(context: *mut Handle) -> Status {
    call("cuCtxPopCurrent_v2", |_| {
        let popped = with_current(Vec::pop).ok_or(INVALID_CONTEXT)?;
        if context.is_null() {
            return Ok(());
        }
        // SAFETY: the caller passes a pointer to a handle.
        unsafe { put(context, popped) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCurrent(context: *mut Handle) -> Status {
    call("cuCtxGetCurrent", |_| {
        // SAFETY: the caller passes null, or a pointer to a handle.
        unsafe { put(context, current_handle()) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxEnablePeerAccess(peer: Handle, flags: c_uint) -> Status {
    call("cuCtxEnablePeerAccess", |driver| {
        let own = driver.current()?.0;
        driver.context(peer)?;
        // Copies need no access, and kernels have none.
        if flags != 0 || peer == own { Err(INVALID_VALUE) } else { Ok(()) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevice(device: *mut c_int) -> Status {
    call("cuCtxGetDevice", |driver| {
        let number = driver.entered()?.1.device;
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(device, number as c_int) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSynchronize() -> Status {
    call("cuCtxSynchronize", |driver| {
        let handle = driver.current()?.0;
        driver.finish_context(handle)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetLimit(value: *mut usize, limit: c_uint) -> Status {
    call("cuCtxGetLimit", |driver| {
        let context = driver.current()?.1;
        let bytes = match limit {
            STACK => context.stack,
            PRINTF => 1 << 20,
            HEAP => 8 << 20,
            _ => return Err(INVALID_VALUE),
        };
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(value, bytes) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetLimit(limit: c_uint, value: usize) -> Status {
    call("cuCtxSetLimit", |driver| {
        let (handle, context) = driver.current()?;
        let device = context.device;
        match limit {
            STACK if value > LONGEST_STACK => return Err(INVALID_VALUE),
            // Each thread that can run at the same time has a stack.
            STACK => {
                let threads = THREADS * driver.settings.multiprocessors as usize;
                if value.saturating_mul(threads) > driver.free_memory(device) {
                    return Err(OUT_OF_MEMORY);
                }
                driver.context(handle)?.stack = value.next_multiple_of(16);
            }
            PRINTF | HEAP => {}
            _ => return Err(INVALID_VALUE),
        }
        driver.trace(|| format!("limit {limit} is {value} now"));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> Status {
    call("cuCtxGetStreamPriorityRange", |_| {
        for place in [least, greatest] {
            if !place.is_null() {
                // SAFETY: the caller passes a pointer to an integer.
                unsafe { put(place, 0) }?;
            }
        }
        Ok(())
    })
}

/// Settings that make no difference here.
macro_rules! accepted {
    ($($name:ident ($($arg:ident: $ty:ty),*);)*) => { $(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($(_: $ty),*) -> Status {
            call(stringify!($name), |driver| driver.current().map(drop))
        }
    )* };
}
accepted! {
    cuCtxSetFlags(flags: c_uint);
    cuCtxSetCacheConfig(config: c_uint);
    cuFuncSetCacheConfig(function: Handle, config: c_uint);
    cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int);
}
