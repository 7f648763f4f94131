//! Panics: reported once, by the driver, with the model's line, the kernel, the object, and the message.

use core::cell::UnsafeCell;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use ikra_core::thread;

unsafe extern "C" {
    fn __assertfail(message: *const u8, file: *const u8, line: u32, function: *const u8, char_size: usize) -> !;
}

/// Texts that end in 0: which kernel failed for which object, and with what.
struct Report {
    texts: UnsafeCell<[[u8; CAPACITY]; 2]>,
    is_taken: AtomicU32,
}

const CAPACITY: usize = 256;

// SAFETY: the texts are accessed by one thread alone, which finds `is_taken` 0.
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

/// What `ikra_runtime::device` noted for a thread that is about to panic, and which thread it is.
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

/// Ends the thread, unless it is the first that asks. A panic is the failure of the whole kernel, and the last thing that
/// happens before the device's state is lost: one report will do.
fn first(is_taken: &AtomicU32) {
    if is_taken.swap(1, Relaxed) != 0 {
        // SAFETY: the thread has no more to do. (To wait for the first one would hold up its warp.)
        unsafe { core::arch::asm!("exit;", options(noreturn)) }
    }
}

/// Called by a thread that is about to panic, with what `ikra_runtime::device` noted: a text to which the object's number is
/// added, or null. `ikra-build` writes the calls.
///
/// # Safety
///
/// `kernel` is null or a text that ends in 0, for ever.
pub unsafe fn failing(kernel: *const u8, index: u32) {
    first(&FAILURE.is_taken);
    FAILURE.kernel.store(kernel.expose_provenance(), Relaxed);
    FAILURE.index.store(index, Relaxed);
    FAILURE.thread.store(thread::index_1d(), Relaxed);
}

/// Reports a panic to the driver and ends the kernel: synchronising then fails with
/// `CUDA_ERROR_ASSERT`.
///
/// Messages are not put together, which would make up most of a kernel's code: shown is a message without values, or that
/// the kernel panicked, and where.
pub fn panic(info: &PanicInfo<'_>) -> ! {
    first(&REPORT.is_taken);
    let texts = REPORT.texts.get().cast::<u8>();
    // SAFETY: both within the texts.
    let (place, message) = unsafe { (texts, texts.add(CAPACITY)) };
    let kernel = core::ptr::with_exposed_provenance::<u8>(FAILURE.kernel.load(Relaxed));
    // Of another thread that panics, or of none, if this one's call is in a function that was not inlined.
    let is_own = FAILURE.is_taken.load(Relaxed) != 0 && FAILURE.thread.load(Relaxed) == thread::index_1d();
    if is_own && !kernel.is_null() {
        // SAFETY: by the contract of `failing`; and this thread's alone.
        unsafe { write_place(place, kernel, FAILURE.index.load(Relaxed)) }
    }
    if let Some(text) = info.message().as_str() {
        // Texts of Ikra's own end in 0 already, which does no harm.
        let len = text.len().min(CAPACITY - 1);
        // SAFETY: both have this many bytes, and the message one more; and the message belongs to this thread alone.
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
/// By pointers, since a check of an index could panic, here of all places.
///
/// # Safety
///
/// There are [`CAPACITY`] bytes at `to`, which nothing else accesses, and `kernel` is a text that ends in 0.
unsafe fn write_place(to: *mut u8, kernel: *const u8, index: u32) {
    // The object's number has ten digits at most.
    const LONGEST: usize = CAPACITY - 11;
    let mut len = 0;
    // SAFETY: bytes of the text up to its end; and fewer than there are.
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
