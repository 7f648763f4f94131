//! The statuses that functions of the driver return, with names and texts.

use std::ffi::{CStr, c_uint};

/// `CUresult`
pub(crate) type Status = c_uint;

/// The result of a function: success, or this status.
pub(crate) type Done = Result<(), Status>;

macro_rules! statuses {
    ($($name:ident = $number:literal $full:literal $words:literal;)*) => {
        $(
            #[doc = concat!("`", $full, "`")]
            #[allow(dead_code, reason = "some have a name here and are given by plans only")]
            pub(crate) const $name: Status = $number;
        )*

        /// The name of a status, and its text.
        pub(crate) fn words(status: Status) -> Option<(&'static CStr, &'static CStr)> {
            let texts: (&str, &str) = match status {
                0 => ("CUDA_SUCCESS\0", "no error\0"),
                $($number => (concat!($full, "\0"), concat!($words, "\0")),)*
                _ => return None,
            };
            let text = |text: &'static str| CStr::from_bytes_with_nul(text.as_bytes()).ok();
            Some((text(texts.0)?, text(texts.1)?))
        }
    };
}

statuses! {
    INVALID_VALUE = 1 "CUDA_ERROR_INVALID_VALUE" "invalid argument";
    OUT_OF_MEMORY = 2 "CUDA_ERROR_OUT_OF_MEMORY" "out of memory";
    NOT_INITIALIZED = 3 "CUDA_ERROR_NOT_INITIALIZED" "initialization error";
    NO_DEVICE = 100 "CUDA_ERROR_NO_DEVICE" "no CUDA-capable device is detected";
    INVALID_DEVICE = 101 "CUDA_ERROR_INVALID_DEVICE" "invalid device ordinal";
    INVALID_CONTEXT = 201 "CUDA_ERROR_INVALID_CONTEXT" "invalid device context";
    INVALID_PTX = 218 "CUDA_ERROR_INVALID_PTX" "a PTX JIT compilation failed";
    UNSUPPORTED_PTX_VERSION = 222 "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
        "the provided PTX was compiled with an unsupported toolchain.";
    INVALID_HANDLE = 400 "CUDA_ERROR_INVALID_HANDLE" "invalid resource handle";
    NOT_FOUND = 500 "CUDA_ERROR_NOT_FOUND" "named symbol not found";
    NOT_READY = 600 "CUDA_ERROR_NOT_READY" "device not ready";
    ILLEGAL_ADDRESS = 700 "CUDA_ERROR_ILLEGAL_ADDRESS" "an illegal memory access was encountered";
    LAUNCH_OUT_OF_RESOURCES = 701 "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" "too many resources requested for launch";
    LAUNCH_TIMEOUT = 702 "CUDA_ERROR_LAUNCH_TIMEOUT" "the launch timed out and was terminated";
    CONTEXT_IS_DESTROYED = 709 "CUDA_ERROR_CONTEXT_IS_DESTROYED" "context is destroyed";
    ASSERT = 710 "CUDA_ERROR_ASSERT" "device-side assert triggered";
    HOST_MEMORY_NOT_REGISTERED = 713 "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"
        "pointer does not correspond to a registered memory region";
    HARDWARE_STACK_ERROR = 714 "CUDA_ERROR_HARDWARE_STACK_ERROR" "hardware stack error";
    ILLEGAL_INSTRUCTION = 715 "CUDA_ERROR_ILLEGAL_INSTRUCTION" "an illegal instruction was encountered";
    MISALIGNED_ADDRESS = 716 "CUDA_ERROR_MISALIGNED_ADDRESS" "misaligned address";
    INVALID_ADDRESS_SPACE = 717 "CUDA_ERROR_INVALID_ADDRESS_SPACE" "operation not supported on global/shared address space";
    INVALID_PC = 718 "CUDA_ERROR_INVALID_PC" "invalid program counter";
    LAUNCH_FAILED = 719 "CUDA_ERROR_LAUNCH_FAILED" "unspecified launch failure";
    COOPERATIVE_LAUNCH_TOO_LARGE = 720 "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"
        "too many blocks in cooperative launch";
    NOT_SUPPORTED = 801 "CUDA_ERROR_NOT_SUPPORTED" "operation not supported";
    STREAM_CAPTURE_UNSUPPORTED = 900 "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"
        "operation not permitted when stream is capturing";
    STREAM_CAPTURE_INVALIDATED = 901 "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"
        "operation failed due to a previous error during capture";
    ILLEGAL_STATE = 401 "CUDA_ERROR_ILLEGAL_STATE" "the operation cannot be performed in the present state";
    UNKNOWN = 999 "CUDA_ERROR_UNKNOWN" "unknown error";
}

/// Whether the context is unusable after this status.
pub(crate) fn is_fatal(status: Status) -> bool {
    matches!(status, ILLEGAL_ADDRESS | LAUNCH_TIMEOUT | ASSERT | HARDWARE_STACK_ERROR..=LAUNCH_FAILED)
}
