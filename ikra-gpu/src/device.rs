//! The executors on the device: they assign objects to threads, which call the kernels.

pub mod births;
mod call;
mod collect;
mod copy;
mod entry;
mod execute;
pub mod groups;
pub mod links;
pub mod lists;
pub mod lives;
mod memory;
mod pairs;
mod panic;
mod parts;
mod reduce;
mod root;
pub mod scan;
pub mod shared;
pub mod sort;
mod unrolled;
mod warps;

pub use call::{Objects, WorldState};
pub use collect::{Sent, Unsent};
pub use copy::copy;
pub use entry::{entry, reduced, together};
pub use execute::{construct, execute, execute_section, first_block, is_after};
pub use pairs::execute_pairs;
pub use panic::{failing, panic};
pub use reduce::{Results, reduce, reduce_chosen};

/// Used by the macros of entry points.
pub use ikra_core as runtime;

/// Writes a comment into the device code: the kernel of this entry point, and the facts that the host must agree on. `$result` is the type of its results.
/// `$filter` is a kernel that chooses objects for it.
#[macro_export]
macro_rules! __mark_entry {
    ($kind:literal, $entry:expr, $result:expr, $filter:expr) => {
        // SAFETY: the assembly is only a comment.
        unsafe {
            ::core::arch::asm!(
                ::core::concat!($crate::device::runtime::marks::entry!(), " {key} ", $kind, " {fingerprint} {size} {align} {filter}"),
                key = const $entry.origin.key(),
                fingerprint = const $entry.fingerprint ^ $result.meaning ^ $filter.fingerprint.rotate_left(1),
                size = const $result.size,
                align = const $result.align,
                filter = const $filter.origin.key(),
                options(nomem, nostack, preserves_flags)
            )
        }
    };
    ($kind:literal, $entry:expr, $result:expr) => {
        const { $crate::device::runtime::origin::assert_word($kind) };
        // SAFETY: the assembly is only a comment.
        unsafe {
            ::core::arch::asm!(
                ::core::concat!($crate::device::runtime::marks::entry!(), " {key} ", $kind, " {fingerprint} {size} {align}"),
                key = const $entry.origin.key(),
                fingerprint = const $entry.fingerprint ^ $result.meaning,
                size = const $result.size,
                align = const $result.align,
                options(nomem, nostack, preserves_flags)
            )
        }
    };
}
pub use __mark_entry as mark;
