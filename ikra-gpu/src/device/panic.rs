//! Panics: reported by the driver with file, line, block and thread.

use core::panic::PanicInfo;

/// Reports a panic to the driver and ends the kernel: synchronising then fails with
/// `CUDA_ERROR_ASSERT`.
///
/// Messages are not put together, which would make up most of a kernel's code: shown is a message of
/// ikra's own, or that the kernel panicked, and where.
pub fn panic(info: &PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn __assertfail(message: *const u8, file: *const u8, line: u32, function: *const u8, char_size: usize) -> !;
    }
    let message = match info.message().as_str() {
        // Only a message that ends in 0 can be handed over as it is.
        Some(text) if text.ends_with('\0') => text,
        _ => "the kernel panicked\0",
    };
    let (file, line) = match info.location() {
        Some(location) => (location.file_as_c_str().as_ptr().cast(), location.line()),
        None => ("unknown\0".as_ptr(), 0),
    };
    // SAFETY: texts that end in 0.
    unsafe { __assertfail(message.as_ptr(), file, line, "kernel\0".as_ptr(), 1) }
}
