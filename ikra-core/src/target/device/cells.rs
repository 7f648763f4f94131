//! The part of the standard library's atomics that Ikra uses, for the threads of the device. The standard library's own
//! are for any memory, so those of 64 bits and of bytes become loops. They are also for the whole system, which costs
//! more. Here all atomics are in columns, in global memory, and the host reads them only after it has waited for the
//! device.
//!
//! The assembler turns an `atom` whose result is unused into a `red`.

use core::cell::UnsafeCell;
use core::ptr;

/// The only ordering.
#[derive(Clone, Copy, Debug)]
pub struct Relaxed;

/// An instruction on the memory `at` an address, whose result is a value.
macro_rules! atomic {
    ($at:expr, $class:ident $ty:ty, [$($text:expr),*] $(, $of:ident $operand:expr)*) => {{
        let value: $ty;
        // SAFETY: an atomic access to a cell, by an instruction of its size; the caller has a shared reference to it.
        unsafe {
            core::arch::asm!(
                "{{ .reg .b64 at; cvta.to.global.u64 at, {1};",
                concat!($($text,)* " }}"),
                out($class) value,
                in(reg64) $at,
                $(in($of) $operand,)*
                options(nostack, preserves_flags)
            );
        }
        value
    }};
}

/// As above, for a store.
macro_rules! store {
    ($at:expr, $class:ident $value:expr, [$($text:expr),*]) => {
        // SAFETY: an atomic store to a cell, by an instruction of its size; the caller has a shared reference to it.
        unsafe {
            core::arch::asm!(
                "{{ .reg .b64 at; cvta.to.global.u64 at, {0};",
                concat!($($text,)* " }}"),
                in(reg64) $at,
                in($class) $value,
                options(nostack, preserves_flags)
            );
        }
    };
}

macro_rules! integers {
    ($($cell:ident: $ty:ident $class:ident $bits:literal $number:literal $sum:literal;)*) => { $(
        /// An atomic integer.
        #[repr(transparent)]
        #[derive(Debug)]
        pub struct $cell(UnsafeCell<$ty>);

        // SAFETY: it is accessed only by atomic instructions, and by plain loads while no other thread changes it
        // (I23).
        unsafe impl Sync for $cell {}

        impl $cell {
            #[inline(always)]
            pub(crate) fn load(&self, _: Relaxed) -> $ty {
                atomic!(self.0.get(), $class $ty, ["ld.relaxed.gpu.global.", $bits, " {0}, [at];"])
            }
            #[inline(always)]
            pub(crate) fn store(&self, value: $ty, _: Relaxed) {
                store!(self.0.get(), $class value, ["st.relaxed.gpu.global.", $bits, " [at], {1};"]);
            }
            #[inline(always)]
            pub(crate) fn compare_exchange(&self, current: $ty, new: $ty, _: Relaxed, _: Relaxed) -> Result<$ty, $ty> {
                let before = atomic!(
                    self.0.get(),
                    $class $ty,
                    ["atom.relaxed.gpu.global.cas.", $bits, " {0}, [at], {2}, {3};"],
                    $class current,
                    $class new
                );
                if before == current { Ok(before) } else { Err(before) }
            }
            #[inline(always)]
            pub(crate) fn fetch_sub(&self, value: $ty, _: Relaxed) -> $ty {
                self.fetch_add(value.wrapping_neg(), Relaxed)
            }
        }
        integers!(@each $cell $ty $class; swap "exch" $bits, fetch_add "add" $sum, fetch_min "min" $number,
            fetch_max "max" $number, fetch_or "or" $bits, fetch_and "and" $bits);
    )* };
    (@each $cell:ident $ty:ident $class:ident; $($name:ident $operation:literal $kind:literal),*) => {
        impl $cell { $(
            #[inline(always)]
            pub(crate) fn $name(&self, value: $ty, _: Relaxed) -> $ty {
                atomic!(
                    self.0.get(),
                    $class $ty,
                    ["atom.relaxed.gpu.global.", $operation, ".", $kind, " {0}, [at], {2};"],
                    $class value
                )
            }
        )* }
    };
}

integers! {
    AtomicU32: u32 reg32 "b32" "u32" "u32";
    AtomicI32: i32 reg32 "b32" "s32" "u32";
    AtomicU64: u64 reg64 "b64" "u64" "u64";
    AtomicI64: i64 reg64 "b64" "s64" "u64";
}

/// An atomic byte that is 0 or 1, in a word with other bytes, which its updates preserve.
#[repr(transparent)]
#[derive(Debug)]
pub struct AtomicBool(UnsafeCell<bool>);

// SAFETY: it is accessed only by atomic instructions, and by plain loads while no other thread changes it (I23).
unsafe impl Sync for AtomicBool {}

impl AtomicBool {
    /// The word that contains it, and the byte's first bit in it. Allocations are whole words.
    #[inline(always)]
    fn word(&self) -> (*mut u8, u32) {
        let at = self.0.get().cast::<u8>();
        let byte = at.addr() % 4;
        (at.wrapping_sub(byte), byte as u32 * 8)
    }
    #[inline(always)]
    pub(crate) fn load(&self, _: Relaxed) -> bool {
        let value = atomic!(self.0.get(), reg32 u32, ["ld.relaxed.gpu.global.u8 {0}, [at];"]);
        value != 0
    }
    #[inline(always)]
    pub(crate) fn store(&self, value: bool, _: Relaxed) {
        store!(self.0.get(), reg32 u32::from(value), ["st.relaxed.gpu.global.u8 [at], {1};"]);
    }
    #[inline(always)]
    pub(crate) fn fetch_or(&self, value: bool, _: Relaxed) -> bool {
        let (word, shift) = self.word();
        let bits = u32::from(value) << shift;
        let before = atomic!(word, reg32 u32, ["atom.relaxed.gpu.global.or.b32 {0}, [at], {2};"], reg32 bits);
        before >> shift & 1 != 0
    }
    #[inline(always)]
    pub(crate) fn fetch_and(&self, value: bool, _: Relaxed) -> bool {
        let (word, shift) = self.word();
        let bits = !(u32::from(!value) << shift);
        let before = atomic!(word, reg32 u32, ["atom.relaxed.gpu.global.and.b32 {0}, [at], {2};"], reg32 bits);
        before >> shift & 1 != 0
    }
    #[inline(always)]
    pub(crate) fn swap(&self, value: bool, _: Relaxed) -> bool {
        if value { self.fetch_or(true, Relaxed) } else { self.fetch_and(false, Relaxed) }
    }
    #[inline(always)]
    pub(crate) fn compare_exchange(&self, current: bool, new: bool, _: Relaxed, _: Relaxed) -> Result<bool, bool> {
        // If the value is not `current`, it is `new` already, and writing `new` again changes nothing.
        let before = if current == new { self.load(Relaxed) } else { self.swap(new, Relaxed) };
        if before == current { Ok(before) } else { Err(before) }
    }
}

macro_rules! add {
    ($($add:ident $cell:ident $ty:ident $class:ident $text:literal;)*) => { $(
        /// Adds to a number and returns the previous one, by an instruction if there is one.
        #[inline(always)]
        pub(crate) fn $add(cell: &$cell, value: $ty, _: impl FnOnce() -> $ty) -> $ty {
            atomic!(ptr::from_ref(cell), $class $ty, [$text], $class value)
        }
    )* };
}

add! {
    add_f32 AtomicU32 f32 reg32 "atom.relaxed.gpu.global.add.f32 {0}, [at], {2};";
    add_f64 AtomicU64 f64 reg64 "atom.relaxed.gpu.global.add.f64 {0}, [at], {2};";
}
