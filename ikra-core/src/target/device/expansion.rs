//! The code behind the macros that is for the device only.

/// On the device, words of constant memory, and a header in global memory.
#[macro_export]
macro_rules! __class_bases {
    ($row:ident $symbol:literal) => {
        type Bases = $crate::table::DeviceBases<$row>;
        #[inline(always)]
        fn constant(word: usize) -> u64 {
            const { $crate::origin::assert_word($symbol) };
            let value: u64;
            // SAFETY: reads a word of the class's table in constant memory, which is constant during a launch.
            unsafe {
                ::core::arch::asm!(
                    ::core::concat!(
                        "{{ .reg .b64 table, at; mov.b64 table, ",
                        $symbol,
                        "{table}; add.u64 at, table, {0}; ld.const.u64 {1}, [at]; }}"
                    ),
                    in(reg64) word * 8,
                    out(reg64) value,
                    table = const $crate::fingerprint::table_key::<Self>(),
                    options(pure, nomem, nostack, preserves_flags)
                )
            }
            value
        }
        #[inline(always)]
        fn count() -> u32 {
            const { $crate::origin::assert_word($symbol) };
            let count: u32;
            // SAFETY: the first word points to the class's header, which starts with the count. Both are constant
            // during a launch. (`ikra-build` makes each kernel do this once, and recognises it by these two loads.)
            unsafe {
                ::core::arch::asm!(
                    ::core::concat!(
                        "{{ .reg .b64 header; ld.const.u64 header, [",
                        $symbol,
                        "{table}]; ld.global.nc.b32 {0}, [header]; }}"
                    ),
                    out(reg32) count,
                    table = const $crate::fingerprint::table_key::<Self>(),
                    options(pure, nomem, nostack, preserves_flags)
                )
            }
            count
        }
    };
}

/// The table of a class in the device's constant memory, which the host finds by a comment. The symbol ends with a
/// number for the position of the class's definition and for its fields. So classes with one name differ, and no class
/// finds another's table. Until the host fills the table, its first word points to a header without objects.
#[macro_export]
macro_rules! __class_symbol {
    ($row:ident at $place:literal as $symbol:literal; $($field:literal)*) => {
        const _: () = {
            $crate::origin::assert_word($symbol);
            $crate::origin::assert_line($place);
        };
        ::core::arch::global_asm!(
            ::core::concat!(
                ".global .align 4 .b32 ", $symbol, "{table}", $crate::marks::absent!(), "[{header}];\n",
                ".visible .const .align 8 .u64 ", $symbol, "{table}[{words}] = {{generic(", $symbol, "{table}", $crate::marks::absent!(), ")}};\n",
                $crate::marks::class!(), " {key} ", $symbol, "{table} {name} {fingerprint} ", $place,
                $($crate::__class_field_line!($field)),*
            ),
            $(const $crate::fingerprint::field_fingerprint(&<$row as $crate::info::ClassInfo>::FIELDS[$field]),)*
            words = const $crate::table::table_words(
                $crate::info::base_count(<$row as $crate::info::ClassInfo>::FIELDS)
            ),
            header = const ::core::mem::size_of::<$crate::table::DeviceHeader>() / 4,
            table = const $crate::fingerprint::table_key::<$row>(),
            key = const <$row as $crate::info::ClassInfo>::ORIGIN.key(),
            name = const <$row as $crate::info::ClassInfo>::ORIGIN.name_key(),
            fingerprint = const $crate::fingerprint::class_fingerprint::<$row>(),
        );
    };
}

/// The line of one field in the comment.
#[macro_export]
macro_rules! __class_field_line {
    ($field:literal) => {
        ::core::concat!("\n", $crate::marks::field!(), " {}")
    };
}

/// On the device there is nothing to check: the host has checked the kernel.
#[macro_export]
macro_rules! __examine {
    ($($all:tt)*) => {};
}

pub use __class_symbol as class_symbol;
pub use __examine as examine;

/// The end of an iteration: one point from which the next one begins. Otherwise LLVM would make a loop of its own for
/// each path to it. It generates no instruction.
#[doc(hidden)]
#[inline(always)]
pub fn turn_end() {
    // SAFETY: the asm block is empty.
    unsafe { core::arch::asm!("", options(nomem, nostack, preserves_flags)) };
}
