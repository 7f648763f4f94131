//! The executors on the device: they assign objects to threads, which call the kernels.

mod call;
mod copy;
mod entry;
mod execute;
pub mod lists;
pub mod lives;
mod memory;
mod pairs;
mod panic;
mod reduce;
pub mod shared;

pub use call::{Objects, WorldState};
pub use copy::copy;
pub use entry::{entry, reduced, together};
pub use execute::{construct, execute, execute_section, first_block, is_after};
pub use pairs::execute_pairs;
pub use panic::{failing, panic};
pub use reduce::{Results, reduce};

/// Used by the macros of entry points.
pub use ikra_core as runtime;

/// Writes a comment into the device code: the kernel of this entry point, and the facts that the host must agree on.
#[macro_export]
macro_rules! __mark_entry {
    ($kind:literal, $entry:expr, $output:ty) => {
        const { $crate::device::runtime::origin::assert_word($kind) };
        // SAFETY: the assembly is only a comment.
        unsafe {
            ::core::arch::asm!(
                ::core::concat!($crate::device::runtime::marks::entry!(), " {key} ", $kind, " {fingerprint} {size} {align}"),
                key = const $entry.origin.key(),
                fingerprint = const $entry.fingerprint,
                size = const ::core::mem::size_of::<$output>(),
                align = const ::core::mem::align_of::<$output>(),
                options(nomem, nostack, preserves_flags)
            )
        }
    };
}
pub use __mark_entry as mark;

/// The items that the root of a device program needs: a panic handler, a kernel that copies small columns to the host,
/// and the kernels that sort links. The crate that `ikra-build` generates around the model contains them once.
#[macro_export]
macro_rules! device_root {
    () => {
        #[panic_handler]
        fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
            $crate::device::panic(info)
        }

        // Called where kernels panic: `ikra-build` inserts the calls into the device code.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn ikra_failing(kernel: *const u8, index: u32) {
            // SAFETY: passed on to the caller.
            unsafe { $crate::device::failing(kernel, index) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_copy(from: *const u8, to: *mut u8, bytes: u32) {
            // SAFETY: the host launches it with readable bytes, room for the copy, and one block of whole warps
            // (`StreamLog`).
            unsafe { $crate::device::copy(from, to, bytes) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_list_mark(
            links: *const u8,
            count: u32,
            tag_bits: u32,
            classes: *const [u32; 2],
            class_count: u32,
            sets: *mut u32,
            wrong: *mut u32,
        ) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lists::mark(links, count, tag_bits, classes, class_count, sets, wrong) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_list_count(sets: *const u32, counts: *mut [u32; 3]) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lists::count(sets, counts) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_list_place(
            classes: *const [u32; 2],
            class_count: u32,
            counts: *mut [u32; 3],
            found: *mut [u32; 3],
        ) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lists::place(classes, class_count, counts, found) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_list_write(sets: *const u32, counts: *const [u32; 3], list: *mut u32) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lists::write(sets, counts, list) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_lives_sum(counts: *const u8, makers: u32, sums: *mut u32) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lives::sum(counts, makers, sums) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_lives_place(sums: *mut u32, len: u32, result: *mut u32) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lives::place(sums, len, result) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_lives_rank(
            counts: *const u8,
            makers: u32,
            per_maker: u32,
            sums: *const u32,
            numbers: *mut u32,
            ranks: *mut u32,
        ) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lives::rank(counts, makers, per_maker, sums, numbers, ranks) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_lives_tally(bits: *const u32, words: u32, result: *mut u32) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lives::tally(bits, words, result) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_lives_invert(bits: *const u32, slots: u32, result: *mut u32) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lives::invert(bits, slots, result) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_lives_clear(bits: *mut u32, cleared: *const u32, words: u32) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lives::clear(bits, cleared, words) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_lives_unlink(column: *mut u32, len: u32, removed: *const u32, slots: u32) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lives::unlink(column, len, removed, slots) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_lives_relink(column: *mut u32, len: u32, ids: *const u32, slots: u32) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lives::relink(column, len, ids, slots) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "ptx-kernel" fn ikra_lives_gather(
            columns: *const [u64; 3],
            count: u32,
            list: *const u32,
            len: u32,
            ids: *mut u32,
        ) {
            // SAFETY: passed on to the host, which launches it.
            unsafe { $crate::device::lives::gather(columns, count, list, len, ids) }
        }
    };
}
