//! Relaxed loads and stores.
//!
//! On the device they are for the threads of that device: the standard library's are for the whole system, which
//! costs more. The host looks only after it has waited for the device.

use core::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64};

/// An atomic integer.
pub(super) trait Relaxed {
    /// The integer.
    type Integer;
    /// Its value.
    fn get(&self) -> Self::Integer;
    /// Replaces it.
    fn put(&self, value: Self::Integer);
}

macro_rules! relaxed {
    ($($cell:ident: $integer:ident, $class:ident $load:literal $store:literal;)*) => { $(
        impl Relaxed for $cell {
            type Integer = $integer;

            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn get(&self) -> $integer {
                self.load(core::sync::atomic::Ordering::Relaxed)
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn put(&self, value: $integer) {
                self.store(value, core::sync::atomic::Ordering::Relaxed);
            }

            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn get(&self) -> $integer {
                let value;
                // SAFETY: an atomic load of the cell, which has the integer's size and alignment.
                unsafe {
                    core::arch::asm!(
                        $load,
                        out($class) value,
                        in(reg64) self.as_ptr(),
                        options(readonly, nostack, preserves_flags)
                    );
                }
                value
            }
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn put(&self, value: $integer) {
                // SAFETY: an atomic store to the cell, which has the integer's size and alignment.
                unsafe {
                    core::arch::asm!(
                        $store,
                        in(reg64) self.as_ptr(),
                        in($class) value,
                        options(nostack, preserves_flags)
                    );
                }
            }
        }
    )* };
}

relaxed! {
    AtomicU32: u32, reg32 "ld.relaxed.gpu.b32 {0}, [{1}];" "st.relaxed.gpu.b32 [{0}], {1};";
    AtomicI32: i32, reg32 "ld.relaxed.gpu.b32 {0}, [{1}];" "st.relaxed.gpu.b32 [{0}], {1};";
    AtomicU64: u64, reg64 "ld.relaxed.gpu.b64 {0}, [{1}];" "st.relaxed.gpu.b64 [{0}], {1};";
    AtomicI64: i64, reg64 "ld.relaxed.gpu.b64 {0}, [{1}];" "st.relaxed.gpu.b64 [{0}], {1};";
}
