//! The instructions: their names, modifiers and operands.

use std::fmt;
use std::ops::RangeInclusive;

use crate::modifier::{Class, Modifier};

macro_rules! opcodes {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// The operation of an instruction: the first word of its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode { $(#[doc = concat!("`", $text, "`")] $name,)* }

        impl Opcode {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The operation of this name.
            ///
            /// ```
            /// use ikra_ptx::Opcode;
            ///
            /// assert_eq!(Opcode::from_name("add"), Some(Opcode::Add));
            /// assert_eq!(Opcode::from_name("wgmma"), None);
            /// ```
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$name),)* _ => None }
            }

            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

opcodes! {
    Abs = "abs", Activemask = "activemask", Add = "add", Addc = "addc", And = "and", Atom = "atom", Bar = "bar",
    Barrier = "barrier", Bfe = "bfe", Bfi = "bfi", Bfind = "bfind", Bmsk = "bmsk", Bra = "bra", Brev = "brev",
    Brkpt = "brkpt", Brx = "brx", Call = "call", Clz = "clz", Cnot = "cnot", Copysign = "copysign", Cos = "cos",
    Cvt = "cvt", Cvta = "cvta", Div = "div", Dp2a = "dp2a", Dp4a = "dp4a", Elect = "elect", Ex2 = "ex2", Exit = "exit",
    Fence = "fence", Fma = "fma", Fns = "fns", Griddepcontrol = "griddepcontrol", Isspacep = "isspacep", Ld = "ld",
    Ldu = "ldu", Lg2 = "lg2", Lop3 = "lop3", Mad = "mad", Mad24 = "mad24", Madc = "madc", Match = "match", Max = "max",
    Membar = "membar", Min = "min", Mov = "mov", Mul = "mul", Mul24 = "mul24", Nanosleep = "nanosleep", Neg = "neg",
    Not = "not", Or = "or", Popc = "popc", Prefetch = "prefetch", Prmt = "prmt", Rcp = "rcp", Red = "red",
    Redux = "redux", Rem = "rem", Ret = "ret", Rsqrt = "rsqrt", Sad = "sad", Selp = "selp", Set = "set", Setp = "setp",
    Shf = "shf", Shfl = "shfl", Shl = "shl", Shr = "shr", Sin = "sin", Slct = "slct", Sqrt = "sqrt", St = "st",
    Sub = "sub", Subc = "subc", Szext = "szext", Tanh = "tanh", Testp = "testp", Trap = "trap", Vote = "vote",
    Xor = "xor",
}

impl Opcode {
    /// Whether the instruction may have this modifier.
    #[must_use]
    pub fn allows(self, modifier: Modifier) -> bool {
        use Modifier as M;
        let class = modifier.class();
        let is_product = modifier.is_product();
        let is_flag = |flags: &[Modifier]| flags.contains(&modifier);
        match self {
            Self::Add | Self::Sub => {
                matches!(class, Class::Type | Class::Rounding) || is_flag(&[M::Ftz, M::Sat, M::CarryOut])
            }
            Self::Addc | Self::Subc => class == Class::Type || is_flag(&[M::CarryOut]),
            Self::Mul | Self::Mul24 => {
                matches!(class, Class::Type | Class::Rounding) || is_product || is_flag(&[M::Ftz, M::Sat])
            }
            Self::Mad | Self::Mad24 | Self::Madc => {
                matches!(class, Class::Type | Class::Rounding) || is_product || is_flag(&[M::Ftz, M::Sat, M::CarryOut])
            }
            Self::Fma => matches!(class, Class::Type | Class::Rounding) || is_flag(&[M::Ftz, M::Sat, M::Relu]),
            Self::Div | Self::Rcp | Self::Sqrt => {
                matches!(class, Class::Type | Class::Rounding | Class::Accuracy) || is_flag(&[M::Ftz])
            }
            Self::Rsqrt | Self::Sin | Self::Cos | Self::Lg2 | Self::Ex2 | Self::Tanh => {
                matches!(class, Class::Type | Class::Accuracy) || is_flag(&[M::Ftz])
            }
            Self::Min | Self::Max => class == Class::Type || is_flag(&[M::Ftz, M::NaN, M::XorSign, M::Abs, M::Relu]),
            Self::Abs | Self::Neg => class == Class::Type || is_flag(&[M::Ftz]),
            Self::Testp => matches!(class, Class::Type | Class::Property),
            Self::And
            | Self::Or
            | Self::Xor
            | Self::Not
            | Self::Cnot
            | Self::Shl
            | Self::Shr
            | Self::Rem
            | Self::Copysign
            | Self::Popc
            | Self::Clz
            | Self::Brev
            | Self::Bfe
            | Self::Bfi
            | Self::Sad
            | Self::Selp
            | Self::Fns
            | Self::Activemask
            | Self::Dp4a => class == Class::Type,
            Self::Dp2a => class == Class::Type || is_flag(&[M::Lo, M::Hi]),
            Self::Bmsk | Self::Szext => class == Class::Type || is_flag(&[M::Wrap, M::Clamp]),
            Self::Mov => class == Class::Type,
            Self::Bfind => class == Class::Type || modifier == M::ShiftAmount,
            Self::Lop3 => class == Class::Type || is_flag(&[M::Or, M::And]),
            Self::Shf => class == Class::Type || is_flag(&[M::Left, M::Right, M::Wrap, M::Clamp]),
            Self::Prmt => matches!(class, Class::Type | Class::Permutation),
            Self::Slct => class == Class::Type || is_flag(&[M::Ftz]),
            Self::Setp | Self::Set => {
                matches!(class, Class::Type | Class::Comparison) || is_flag(&[M::And, M::Or, M::Xor, M::Ftz])
            }
            Self::Cvt => matches!(class, Class::Type | Class::Rounding) || is_flag(&[M::Ftz, M::Sat, M::Relu]),
            Self::Cvta => matches!(class, Class::Type | Class::Space) || modifier == M::To,
            Self::Isspacep => class == Class::Space,
            Self::Ld => matches!(
                class,
                Class::Type | Class::Space | Class::Semantics | Class::Scope | Class::Vector | Class::Cache
            ),
            Self::Ldu => matches!(class, Class::Type | Class::Space | Class::Vector),
            Self::St => {
                matches!(
                    class,
                    Class::Type | Class::Space | Class::Semantics | Class::Scope | Class::Vector | Class::Cache
                ) && modifier != M::Nc
            }
            Self::Atom | Self::Red => {
                matches!(class, Class::Type | Class::Space | Class::Semantics | Class::Scope | Class::Operation)
                    || modifier == M::NoFtz
            }
            Self::Prefetch => matches!(class, Class::Space | Class::Cache),
            Self::Fence => matches!(class, Class::Semantics | Class::Scope),
            Self::Membar => class == Class::Scope,
            Self::Bar | Self::Barrier => {
                matches!(class, Class::Barrier | Class::Type)
                    || is_flag(&[M::Sync, M::Aligned, M::Cta, M::And, M::Or, M::Popc])
            }
            Self::Shfl => matches!(class, Class::Lanes | Class::Type) || modifier == M::Sync,
            Self::Vote => matches!(class, Class::Lanes | Class::Type) || is_flag(&[M::Sync, M::Uni]),
            Self::Match => matches!(class, Class::Lanes | Class::Type) || modifier == M::Sync,
            Self::Redux => matches!(class, Class::Operation | Class::Type) || modifier == M::Sync,
            Self::Elect => modifier == M::Sync,
            Self::Bra | Self::Call | Self::Ret => modifier == M::Uni,
            Self::Brx => is_flag(&[M::Idx, M::Uni]),
            Self::Nanosleep => class == Class::Type,
            Self::Griddepcontrol => class == Class::Grid,
            Self::Exit | Self::Trap | Self::Brkpt => false,
        }
    }

    /// The number of types in its name.
    pub(crate) fn types(self) -> RangeInclusive<usize> {
        match self {
            Self::Cvt | Self::Set | Self::Slct | Self::Dp2a | Self::Dp4a => 2..=2,
            Self::Bar | Self::Barrier => 0..=1,
            Self::Bra
            | Self::Brx
            | Self::Call
            | Self::Ret
            | Self::Exit
            | Self::Trap
            | Self::Brkpt
            | Self::Isspacep
            | Self::Fence
            | Self::Membar
            | Self::Elect
            | Self::Griddepcontrol
            | Self::Prefetch => 0..=0,
            _ => 1..=1,
        }
    }

    /// The number of operands that an instruction with these modifiers writes; they come first.
    #[must_use]
    pub(crate) fn destinations(self, modifiers: &[Modifier]) -> usize {
        match self {
            Self::St
            | Self::Red
            | Self::Bra
            | Self::Brx
            | Self::Ret
            | Self::Exit
            | Self::Trap
            | Self::Brkpt
            | Self::Fence
            | Self::Membar
            | Self::Griddepcontrol
            | Self::Nanosleep
            | Self::Prefetch => 0,
            Self::Bar | Self::Barrier => usize::from(modifiers.contains(&Modifier::Red)),
            // Its results are a list of their own.
            Self::Call => 1,
            _ => 1,
        }
    }

    /// The number of operands after those.
    pub(crate) fn sources(self, modifiers: &[Modifier]) -> RangeInclusive<usize> {
        let has = |modifier| modifiers.contains(&modifier);
        match self {
            Self::Ret
            | Self::Exit
            | Self::Trap
            | Self::Brkpt
            | Self::Fence
            | Self::Membar
            | Self::Griddepcontrol
            | Self::Activemask => 0..=0,
            Self::Abs
            | Self::Neg
            | Self::Not
            | Self::Cnot
            | Self::Popc
            | Self::Clz
            | Self::Brev
            | Self::Bfind
            | Self::Rcp
            | Self::Sqrt
            | Self::Rsqrt
            | Self::Sin
            | Self::Cos
            | Self::Lg2
            | Self::Ex2
            | Self::Tanh
            | Self::Mov
            | Self::Cvta
            | Self::Isspacep
            | Self::Ld
            | Self::Ldu
            | Self::Testp
            | Self::Bra
            | Self::Nanosleep
            | Self::Prefetch
            | Self::Elect => 1..=1,
            // Two numbers may become a packed one.
            Self::Cvt => 1..=2,
            Self::Add
            | Self::Sub
            | Self::Addc
            | Self::Subc
            | Self::Mul
            | Self::Mul24
            | Self::Div
            | Self::Rem
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::Shl
            | Self::Shr
            | Self::Copysign
            | Self::St
            | Self::Bmsk
            | Self::Szext
            | Self::Vote
            | Self::Match
            | Self::Redux
            | Self::Brx => 2..=2,
            // The smallest of three is newer than the others.
            Self::Min | Self::Max => 2..=3,
            Self::Setp | Self::Set => 2..=3,
            Self::Fma
            | Self::Mad
            | Self::Mad24
            | Self::Madc
            | Self::Selp
            | Self::Slct
            | Self::Prmt
            | Self::Bfe
            | Self::Shf
            | Self::Sad
            | Self::Fns
            | Self::Dp2a
            | Self::Dp4a => 3..=3,
            Self::Bfi | Self::Lop3 | Self::Shfl => 4..=4,
            Self::Atom => {
                if has(Modifier::Cas) {
                    3..=3
                } else {
                    2..=2
                }
            }
            Self::Red => 2..=2,
            Self::Bar | Self::Barrier if has(Modifier::Warp) => 1..=1,
            Self::Bar | Self::Barrier if has(Modifier::Red) => 2..=3,
            Self::Bar | Self::Barrier => 1..=2,
            Self::Call => 2..=3,
        }
    }

    /// The position, among all operands, of the address in brackets.
    pub(crate) fn memory(self) -> Option<usize> {
        match self {
            Self::Ld | Self::Ldu | Self::Atom => Some(1),
            Self::St | Self::Red | Self::Prefetch => Some(0),
            _ => None,
        }
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
