//! Panics: the driver reports one panic, with the model's line, the kernel, the object, and the message.

use core::cell::UnsafeCell;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use ikra_core::thread;

unsafe extern "C" {
    fn __assertfail(message: *const u8, file: *const u8, line: u32, function: *const u8, char_size: usize) -> !;
}

/// Texts that end in 0: the kernel and object that failed, and the message.
struct Report {
    texts: UnsafeCell<[[u8; CAPACITY]; 2]>,
    is_taken: AtomicU32,
}

const CAPACITY: usize = 256;

// SAFETY: only one thread accesses the texts: the first, which finds `is_taken` 0.
unsafe impl Sync for Report {}

static REPORT: Report = Report {
    texts: UnsafeCell::new([initial("a kernel"), initial("the kernel panicked")]),
    is_taken: AtomicU32::new(0),
};

const fn initial(text: &str) -> [u8; CAPACITY] {
    let mut bytes = [0; CAPACITY];
    let mut n = 0;
    while n < text.len() {
        bytes[n] = text.as_bytes()[n];
        n += 1;
    }
    bytes
}

/// The text that `ikra_runtime::device` recorded for a thread that is about to panic, and the thread's number.
struct Failure {
    kernel: AtomicUsize,
    index: AtomicU32,
    thread: AtomicU32,
    is_taken: AtomicU32,
}

static FAILURE: Failure = Failure {
    kernel: AtomicUsize::new(0),
    index: AtomicU32::new(0),
    thread: AtomicU32::new(0),
    is_taken: AtomicU32::new(0),
};

/// Ends the thread, unless it is the first to call this. A panic fails the whole kernel, and the device's state is lost
/// right after it, so one report is enough.
fn first(is_taken: &AtomicU32) {
    if is_taken.swap(1, Relaxed) != 0 {
        // SAFETY: the thread has no further work. (If it waited for the first thread, it would block its warp.)
        unsafe { core::arch::asm!("exit;", options(noreturn)) }
    }
}

/// Called by a thread that is about to panic. `kernel` is the text that `ikra_runtime::device` recorded, or null; the
/// object's number is appended. `ikra-build` inserts the calls.
///
/// # Safety
///
/// `kernel` is null or a static text that ends in 0.
pub unsafe fn failing(kernel: *const u8, index: u32) {
    first(&FAILURE.is_taken);
    FAILURE.kernel.store(kernel.expose_provenance(), Relaxed);
    FAILURE.index.store(index, Relaxed);
    FAILURE.thread.store(thread::index_1d(), Relaxed);
}

/// Reports a panic to the driver and ends the kernel: synchronising then fails with `CUDA_ERROR_ASSERT`.
///
/// Messages are not formatted, since formatting would make up most of a kernel's code. The report shows a message
/// without values, or else that the kernel panicked, and the line.
pub fn panic(info: &PanicInfo<'_>) -> ! {
    first(&REPORT.is_taken);
    let texts = REPORT.texts.get().cast::<u8>();
    // SAFETY: both within the texts.
    let (place, message) = unsafe { (texts, texts.add(CAPACITY)) };
    let kernel = core::ptr::with_exposed_provenance::<u8>(FAILURE.kernel.load(Relaxed));
    // The record may belong to another panicking thread, or be empty, if this thread's call is in a function that was
    // not inlined.
    let is_own = FAILURE.is_taken.load(Relaxed) != 0 && FAILURE.thread.load(Relaxed) == thread::index_1d();
    if is_own && !kernel.is_null() {
        // SAFETY: by the contract of `failing`; and only this thread accesses it.
        unsafe { write_place(place, kernel, FAILURE.index.load(Relaxed)) }
    }
    if let Some(text) = info.message().as_str() {
        // Ikra's own texts end in 0 already, which does no harm.
        let len = text.len().min(CAPACITY - 1);
        // SAFETY: source and destination have this many bytes, and the message has one more. Only this thread accesses
        // the message.
        unsafe {
            text.as_ptr().copy_to_nonoverlapping(message, len);
            message.add(len).write(0);
        }
    }
    let (file, line) = match info.location() {
        Some(location) => (location.file_as_c_str().as_ptr().cast(), location.line()),
        None => ("unknown\0".as_ptr(), 0),
    };
    // SAFETY: texts that end in 0.
    unsafe { __assertfail(message, file, line, place, 1) }
}

/// Writes `Body::advance for Body#17`: the kernel's text, and the object's number.
///
/// It uses pointers, since a bounds check could panic, here of all places.
///
/// # Safety
///
/// `to` has [`CAPACITY`] bytes that nothing else accesses, and `kernel` is a text that ends in 0.
unsafe fn write_place(to: *mut u8, kernel: *const u8, index: u32) {
    // The object's number has at most ten digits.
    const LONGEST: usize = CAPACITY - 11;
    let mut len = 0;
    // SAFETY: bytes of the text up to its end, and fewer than `to` has.
    unsafe {
        while len < LONGEST && *kernel.add(len) != 0 {
            *to.add(len) = *kernel.add(len);
            len += 1;
        }
        // Objects count from 1, as links do.
        let id = index.wrapping_add(1);
        let mut unit = 1_000_000_000;
        while unit > 1 && unit > id {
            unit /= 10;
        }
        while unit > 0 {
            *to.add(len) = b'0' + (id / unit % 10) as u8;
            len += 1;
            unit /= 10;
        }
        *to.add(len) = 0;
    }
}
