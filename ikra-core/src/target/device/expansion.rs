//! What the code of the macros consists of on the device alone.

/// On the device, words of constant memory, and a header in global memory.
#[macro_export]
macro_rules! __class_bases {
    ($row:ident $symbol:literal) => {
        type Bases = $crate::table::DeviceBases<$row>;
        #[inline(always)]
        fn constant(word: usize) -> u64 {
            const { $crate::origin::assert_word($symbol) };
            let value: u64;
            // SAFETY: reads a word of the class's table in constant memory, which holds still during a launch.
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
            // SAFETY: the first word leads to the class's header, which starts with the count. Both hold still during a
            // launch. (`ikra-build` has each kernel do this once, and knows it by these two loads.)
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

/// The table of a class in the device's constant memory, which the host finds by a comment. The symbol is followed by a
/// number for where the class is defined and for its fields, so that classes of one name differ, and no class finds another's table. Until the host fills the table, its first word
/// leads to a header of no objects.
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

/// The line of one field in it.
#[macro_export]
macro_rules! __class_field_line {
    ($field:literal) => {
        ::core::concat!("\n", $crate::marks::field!(), " {}")
    };
}

/// On the device there is nothing to look through: the host has done so.
#[macro_export]
macro_rules! __examine {
    ($($all:tt)*) => {};
}

pub use __class_symbol as class_symbol;
pub use __examine as examine;

/// The end of a loop's turn: one place from which the next begins, for LLVM, which would otherwise make of each way there a
/// loop of its own. It is no instruction.
#[doc(hidden)]
#[inline(always)]
pub fn turn_end() {
    // SAFETY: there is nothing in it.
    unsafe { core::arch::asm!("", options(nomem, nostack, preserves_flags)) };
}
