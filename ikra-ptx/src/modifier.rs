//! The modifiers after an instruction's name: `.global`, `.rn`, `.u32`.

use std::fmt;

/// Declares the modifiers, each with its class.
macro_rules! modifiers {
    ($($class:ident { $($name:ident = $text:literal),* $(,)? })*) => {
        /// A modifier after an instruction's name, such as `.global` of `ld.global.u32`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Modifier {
            /// A type.
            Type(Type),
            $($(#[doc = concat!("`.", $text, "`")] $name,)*)*
        }

        impl Modifier {
            /// The modifier of this name, which is without the dot.
            ///
            /// ```
            /// use ikra_ptx::{Modifier, Type};
            ///
            /// assert_eq!(Modifier::from_name("global"), Some(Modifier::Global));
            /// assert_eq!(Modifier::from_name("u32"), Some(Modifier::Type(Type::U32)));
            /// assert_eq!(Modifier::from_name("sideways"), None);
            /// ```
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($($text => Some(Self::$name),)*)*
                    _ => Type::from_name(name).map(Self::Type),
                }
            }

            /// Its name, without the dot.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    Self::Type(ty) => ty.name(),
                    $($(Self::$name => $text,)*)*
                }
            }

            /// Its class.
            #[must_use]
            pub fn class(self) -> Class {
                match self {
                    Self::Type(_) => Class::Type,
                    $($(Self::$name)|* => Class::$class,)*
                }
            }
        }

        /// A class of modifiers; an instruction has at most one of each class.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Class {
            /// A type; conversions have two.
            Type,
            $(#[doc = concat!("The class ", stringify!($class), ".")] $class,)*
        }
    };
}

modifiers! {
    Space {
        Global = "global", Shared = "shared", SharedCta = "shared::cta", SharedCluster = "shared::cluster",
        Local = "local", Const = "const", Param = "param", ParamEntry = "param::entry", ParamFunc = "param::func",
    }
    Rounding {
        Rn = "rn", Rz = "rz", Rm = "rm", Rp = "rp", Rna = "rna", Rni = "rni", Rzi = "rzi", Rmi = "rmi", Rpi = "rpi",
    }
    Comparison {
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge", Lo = "lo", Ls = "ls", Hi = "hi", Hs = "hs",
        Equ = "equ", Neu = "neu", Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu", Num = "num", Nan = "nan",
    }
    Width { Wide = "wide" }
    Operation {
        And = "and", Or = "or", Xor = "xor", Add = "add", Min = "min", Max = "max", Inc = "inc", Dec = "dec",
        Exch = "exch", Cas = "cas", Popc = "popc",
    }
    Semantics {
        Weak = "weak", Volatile = "volatile", Relaxed = "relaxed", Acquire = "acquire", Release = "release",
        AcqRel = "acq_rel", Sc = "sc", Mmio = "mmio",
    }
    Scope { Cta = "cta", Cluster = "cluster", Gpu = "gpu", Sys = "sys", Gl = "gl" }
    Vector { V2 = "v2", V4 = "v4", V8 = "v8" }
    Cache {
        Nc = "nc", Ca = "ca", Cg = "cg", Cs = "cs", Lu = "lu", Cv = "cv", Wb = "wb", Wt = "wt",
        EvictFirst = "L1::evict_first", EvictLast = "L1::evict_last", NoAllocate = "L1::no_allocate",
        EvictNormal = "L1::evict_normal", Unchanged = "L1::evict_unchanged",
        Prefetch64 = "L2::64B", Prefetch128 = "L2::128B", Prefetch256 = "L2::256B", L1 = "L1", L2 = "L2",
    }
    Accuracy { Approx = "approx", Full = "full" }
    Lanes { Up = "up", Down = "down", Bfly = "bfly", Idx = "idx", All = "all", Any = "any", Ballot = "ballot" }
    Barrier { Arrive = "arrive", Red = "red", Warp = "warp" }
    Property {
        Finite = "finite", Infinite = "infinite", Number = "number", NotANumber = "notanumber", Normal = "normal",
        Subnormal = "subnormal",
    }
    Permutation { F4e = "f4e", B4e = "b4e", Rc8 = "rc8", Ecl = "ecl", Ecr = "ecr", Rc16 = "rc16" }
    Shift { Left = "l", Right = "r", Wrap = "wrap", Clamp = "clamp", ShiftAmount = "shiftamt" }
    Grid { Wait = "wait", LaunchDependents = "launch_dependents" }
    Flag {
        Ftz = "ftz", NoFtz = "noftz", Sat = "sat", Relu = "relu", CarryOut = "cc", Uni = "uni", Sync = "sync",
        Aligned = "aligned", To = "to", NaN = "NaN", XorSign = "xorsign", Abs = "abs",
    }
}

impl Modifier {
    /// Whether it narrows or widens a product: `.hi`, `.lo`, `.wide`. (`.hi` and `.lo` compare, too.)
    #[must_use]
    pub fn is_product(self) -> bool {
        matches!(self, Self::Hi | Self::Lo | Self::Wide)
    }
}

impl fmt::Display for Modifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}

/// Declares the types.
macro_rules! types {
    ($($name:ident = $text:literal, $bits:literal, $kind:ident;)*) => {
        /// A type of PTX.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Type { $(#[doc = concat!("`.", $text, "`")] $name,)* }

        impl Type {
            /// The type of this name, which is without the dot.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$name),)* _ => None }
            }

            /// Its name, without the dot.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The number of bits of a value: 1 for a predicate.
            #[must_use]
            pub fn bits(self) -> u32 {
                match self { $(Self::$name => $bits,)* }
            }

            /// The interpretation of values.
            #[must_use]
            pub fn kind(self) -> Kind {
                match self { $(Self::$name => Kind::$kind,)* }
            }
        }
    };
}

types! {
    B8 = "b8", 8, Bits; B16 = "b16", 16, Bits; B32 = "b32", 32, Bits; B64 = "b64", 64, Bits; B128 = "b128", 128, Bits;
    U8 = "u8", 8, Unsigned; U16 = "u16", 16, Unsigned; U32 = "u32", 32, Unsigned; U64 = "u64", 64, Unsigned;
    S8 = "s8", 8, Signed; S16 = "s16", 16, Signed; S32 = "s32", 32, Signed; S64 = "s64", 64, Signed;
    F16 = "f16", 16, Float; F16x2 = "f16x2", 32, Packed; Bf16 = "bf16", 16, Float; Bf16x2 = "bf16x2", 32, Packed;
    U16x2 = "u16x2", 32, Packed; S16x2 = "s16x2", 32, Packed;
    Tf32 = "tf32", 32, Float; F32 = "f32", 32, Float; F64 = "f64", 64, Float;
    Pred = "pred", 1, Predicate;
}

/// The interpretation of a type's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// None.
    Bits,
    /// As a number without a sign.
    Unsigned,
    /// As a number in two's complement.
    Signed,
    /// As a floating-point number.
    Float,
    /// As two numbers, side by side.
    Packed,
    /// As true or false.
    Predicate,
}

impl Type {
    /// The bytes that a value takes in memory.
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}
