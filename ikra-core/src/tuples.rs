//! Tuples with one member per field, of up to 64 members.
//!
//! Only some lengths exist: with all of them, this crate would take a multiple of the time to compile. Classes fill
//! their tuples with `()`, which stores nothing, up to the next length.

/// Calls a macro for each length, with an identifier for the storage, the mode and the run of each field, and its
/// position.
///
/// The lengths are those of `padded` in `ikra-macros/src/class/model.rs`: all up to 16, by 4 up to 32, and by 8 up to 64.
#[macro_export]
macro_rules! __for_tuples {
    ($one:ident) => {
        $crate::__for_tuples! {
            @upto $one []
            [(F0 M0 X0 0)] [(F1 M1 X1 1)] [(F2 M2 X2 2)] [(F3 M3 X3 3)] [(F4 M4 X4 4)] [(F5 M5 X5 5)] [(F6 M6 X6 6)]
            [(F7 M7 X7 7)] [(F8 M8 X8 8)] [(F9 M9 X9 9)] [(F10 M10 X10 10)] [(F11 M11 X11 11)] [(F12 M12 X12 12)]
            [(F13 M13 X13 13)] [(F14 M14 X14 14)] [(F15 M15 X15 15)]
            [(F16 M16 X16 16) (F17 M17 X17 17) (F18 M18 X18 18) (F19 M19 X19 19)]
            [(F20 M20 X20 20) (F21 M21 X21 21) (F22 M22 X22 22) (F23 M23 X23 23)]
            [(F24 M24 X24 24) (F25 M25 X25 25) (F26 M26 X26 26) (F27 M27 X27 27)]
            [(F28 M28 X28 28) (F29 M29 X29 29) (F30 M30 X30 30) (F31 M31 X31 31)]
            [(F32 M32 X32 32) (F33 M33 X33 33) (F34 M34 X34 34) (F35 M35 X35 35)
             (F36 M36 X36 36) (F37 M37 X37 37) (F38 M38 X38 38) (F39 M39 X39 39)]
            [(F40 M40 X40 40) (F41 M41 X41 41) (F42 M42 X42 42) (F43 M43 X43 43)
             (F44 M44 X44 44) (F45 M45 X45 45) (F46 M46 X46 46) (F47 M47 X47 47)]
            [(F48 M48 X48 48) (F49 M49 X49 49) (F50 M50 X50 50) (F51 M51 X51 51)
             (F52 M52 X52 52) (F53 M53 X53 53) (F54 M54 X54 54) (F55 M55 X55 55)]
            [(F56 M56 X56 56) (F57 M57 X57 57) (F58 M58 X58 58) (F59 M59 X59 59)
             (F60 M60 X60 60) (F61 M61 X61 61) (F62 M62 X62 62) (F63 M63 X63 63)]
        }
    };
    (@upto $one:ident [$($done:tt)*]) => {};
    (@upto $one:ident [$($done:tt)*] [$($next:tt)+] $($rest:tt)*) => {
        $one!($($done)* $($next)+);
        $crate::__for_tuples!(@upto $one [$($done)* $($next)+] $($rest)*);
    };
}
pub use __for_tuples as for_tuples;
