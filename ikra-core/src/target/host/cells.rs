//! The standard library's atomics.

pub(crate) use core::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

macro_rules! add {
    ($($add:ident $cell:ident $ty:ident)*) => { $(
        /// Adds to a number and returns the previous one, by an instruction if there is one.
        #[inline(always)]
        pub(crate) fn $add(_: &$cell, _: $ty, otherwise: impl FnOnce() -> $ty) -> $ty {
            otherwise()
        }
    )* };
}

add! { add_f32 AtomicU32 f32 add_f64 AtomicU64 f64 }
