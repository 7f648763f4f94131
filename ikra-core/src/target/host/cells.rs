//! Relaxed loads and stores of atomics, by the standard library.

use core::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};

use crate::target::RelaxedCell;

macro_rules! relaxed {
    ($($cell:ident: $integer:ident)*) => { $(
        impl RelaxedCell for $cell {
            type Integer = $integer;

            #[inline(always)]
            fn get(&self) -> $integer {
                self.load(Ordering::Relaxed)
            }
            #[inline(always)]
            fn put(&self, value: $integer) {
                self.store(value, Ordering::Relaxed);
            }
        }
    )* };
}

relaxed! { AtomicU32: u32 AtomicI32: i32 AtomicU64: u64 AtomicI64: i64 }

macro_rules! add {
    ($($add:ident $cell:ident $ty:ident)*) => { $(
        /// Adds to a number and returns it from before, by an instruction if there is one.
        #[inline(always)]
        pub(crate) fn $add(_: &$cell, _: $ty, otherwise: impl FnOnce() -> $ty) -> $ty {
            otherwise()
        }
    )* };
}

add! { add_f32 AtomicU32 f32 add_f64 AtomicU64 f64 }
