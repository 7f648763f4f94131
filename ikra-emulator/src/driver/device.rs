//! Devices: their number, and their properties.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use super::state::{call, call_before_init, put};
use super::status::{INVALID_VALUE, NO_DEVICE, NOT_FOUND, Status, words};

/// The name of each device.
const NAME: &CStr = c"Ikra emulator";

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuInit(_flags: c_uint) -> Status {
    call_before_init("cuInit", |driver| {
        if driver.gpus.is_empty() {
            return Err(NO_DEVICE);
        }
        driver.is_initialised = true;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> Status {
    call_before_init("cuDriverGetVersion", |driver| {
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(version, driver.settings.cuda as c_int) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> Status {
    call("cuDeviceGetCount", |driver| {
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(count, driver.gpus.len() as c_int) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> Status {
    call("cuDeviceGet", |driver| {
        driver.device(ordinal)?;
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(device, ordinal) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int) -> Status {
    call("cuDeviceGetName", |driver| {
        driver.device(device)?;
        let text = NAME.to_bytes_with_nul();
        if name.is_null() || usize::try_from(len).is_ok_and(|len| len < text.len()) {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller passes room for `len` characters, and `len` is at least their number.
        unsafe { name.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len()) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) -> Status {
    call("cuDeviceGetUuid_v2", |driver| {
        let device = driver.device(device)?;
        let mut bytes = *b"ikra-emulator-00";
        bytes[15] = bytes[15].wrapping_add(device as u8);
        // SAFETY: the caller passes null, or a pointer to this many bytes.
        unsafe { put(uuid, bytes) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) -> Status {
    call("cuDeviceTotalMem_v2", |driver| {
        driver.device(device)?;
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(bytes, driver.settings.memory) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_uint, device: c_int) -> Status {
    call("cuDeviceGetAttribute", |driver| {
        driver.device(device)?;
        let capability = driver.settings.capability;
        let number = match attribute {
            // Threads of a block, in all and in each dimension; blocks of a grid in each.
            1..=3 => 1024,
            4 => 64,
            5 => i32::MAX,
            6 | 7 => 65_535,
            // Shared memory of a block, constant memory, threads of a warp.
            8 => 48 * 1024,
            9 => 64 * 1024,
            10 => 32,
            // Registers of a block, and the clock in kHz.
            12 => 65_536,
            13 => 1_000_000,
            16 => driver.settings.multiprocessors as c_int,
            // Host memory can be mapped; kernels run side by side; addresses are the same for all.
            19 | 31 | 41 => 1,
            39 => 2048,
            75 => (capability / 10) as c_int,
            76 => (capability % 10) as c_int,
            // Shared memory of a multiprocessor, and of a block that asks for it; registers.
            81 => 228 * 1024,
            82 => 65_536,
            97 => 227 * 1024,
            // All blocks of a launch can run at the same time.
            95 => 1,
            // Everything else: not supported (memory pools, managed memory, …).
            _ => 0,
        };
        // SAFETY: the caller passes null, or a pointer to an integer.
        unsafe { put(value, number) }
    })
}

/// The text of a status, which lives as long as the library.
///
/// # Safety
///
/// `text` is null, or a pointer to a pointer.
unsafe fn text_of(
    status: Status,
    text: *mut *const c_char,
    which: fn((&'static CStr, &'static CStr)) -> &'static CStr,
) -> Status {
    let found = words(status).map(which);
    // SAFETY: by the caller.
    let put = unsafe { put(text, found.map_or(std::ptr::null(), CStr::as_ptr)) };
    if put.is_err() || found.is_none() { INVALID_VALUE } else { 0 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(status: Status, name: *mut *const c_char) -> Status {
    // SAFETY: the caller passes null, or a pointer to a pointer.
    unsafe { text_of(status, name, |(name, _)| name) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(status: Status, text: *mut *const c_char) -> Status {
    // SAFETY: the caller passes null, or a pointer to a pointer.
    unsafe { text_of(status, text, |(_, words)| words) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress_v2(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    _flags: u64,
    found: *mut c_int,
) -> Status {
    call_before_init("cuGetProcAddress_v2", |_| {
        if symbol.is_null() || function.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller passes a text that ends in 0.
        let name = unsafe { CStr::from_ptr(symbol) }.to_string_lossy();
        let address = super::symbols::find(&name, version);
        // SAFETY: the caller passes a pointer to a pointer.
        unsafe { put(function, address.unwrap_or(std::ptr::null_mut())) }?;
        if !found.is_null() {
            // `CU_GET_PROC_ADDRESS_SUCCESS`, `CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND`
            // SAFETY: the caller passes a pointer to an integer.
            unsafe { put(found, c_int::from(address.is_none())) }?;
        }
        address.map(drop).ok_or(NOT_FOUND)
    })
}
