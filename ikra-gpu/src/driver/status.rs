//! The driver's status codes, as errors.

use std::ffi::CStr;
use std::ptr;

use ikra_runtime::error::GpuError;

use super::api::{Api, Status};

/// `CUDA_ERROR_OUT_OF_MEMORY`
pub(crate) const OUT_OF_MEMORY: Status = 2;
/// `CUDA_ERROR_NOT_FOUND`
pub(crate) const NOT_FOUND: Status = 500;

/// Errors that stop all further work in the process's context.
const FATAL: &[(Status, &str)] = &[
    (700, "a kernel accessed an invalid address"),
    (702, "a kernel ran for too long"),
    (710, "a kernel panicked; the driver printed where"),
    (714, "the device's memory failed"),
    (715, "a kernel executed an illegal instruction"),
    (716, "a kernel accessed a misaligned address"),
    (717, "a kernel accessed an address in the wrong memory"),
    (718, "a kernel jumped to an invalid address"),
    (719, "a kernel failed"),
];

/// Whether the device's state is lost.
pub(crate) fn is_fatal(status: Status) -> bool {
    FATAL.iter().any(|&(fatal, _)| fatal == status)
}

/// The driver's text for a status.
pub(crate) fn text(api: &Api, status: Status) -> String {
    let ask = |function: unsafe extern "C" fn(Status, *mut *const std::ffi::c_char) -> Status| {
        let mut text = ptr::null();
        // SAFETY: the pointer leads to a pointer.
        if unsafe { function(status, &raw mut text) } != 0 || text.is_null() {
            return None;
        }
        // SAFETY: the text belongs to the driver, and lives as long as the process.
        Some(unsafe { CStr::from_ptr(text) }.to_string_lossy())
    };
    let Some(name) = ask(api.error_name) else { return format!("error {status}, for which the driver has no name") };
    let words = ask(api.error_string).map_or(String::new(), |words| format!(" ({words})"));
    let hint =
        FATAL.iter().find(|&&(fatal, _)| fatal == status).map_or(String::new(), |&(_, hint)| format!("; {hint}"));
    format!("{name}{words}{hint}")
}

/// Returns an error, unless the status is success.
///
/// # Errors
///
/// [`GpuError::DeviceLost`] if the device's state is lost, [`GpuError::Driver`] otherwise.
pub(crate) fn check(api: &Api, call: &str, status: Status) -> Result<(), GpuError> {
    if status == 0 {
        return Ok(());
    }
    let reason = text(api, status);
    if is_fatal(status) {
        return Err(GpuError::DeviceLost { kernel: format!("`{call}`"), reason });
    }
    Err(GpuError::Driver { call: format!("`{call}`"), reason })
}
