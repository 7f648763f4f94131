//! Relaxed loads, stores and additions, for the threads of the device: the standard library's are for the whole system,
//! which costs more. The host looks only after it has waited for the device.

use core::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64};

use crate::target::RelaxedCell;

macro_rules! relaxed {
    ($($cell:ident: $integer:ident, $class:ident $load:literal $store:literal;)*) => { $(
        impl RelaxedCell for $cell {
            type Integer = $integer;

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

macro_rules! add {
    ($($add:ident $cell:ident $ty:ident $class:ident $text:literal;)*) => { $(
        /// Adds to a number and returns it from before, by an instruction if there is one.
        #[inline(always)]
        pub(crate) fn $add(cell: &$cell, value: $ty, _: impl FnOnce() -> $ty) -> $ty {
            let before;
            // SAFETY: an atomic addition to the cell, which has the type's size and alignment.
            unsafe {
                core::arch::asm!(
                    $text,
                    out($class) before,
                    in(reg64) core::ptr::from_ref(cell),
                    in($class) value,
                    options(nostack, preserves_flags)
                );
            }
            before
        }
    )* };
}

add! {
    add_f32 AtomicU32 f32 reg32 "atom.relaxed.gpu.add.f32 {0}, [{1}], {2};";
    add_f64 AtomicU64 f64 reg64 "atom.relaxed.gpu.add.f64 {0}, [{1}], {2};";
}
