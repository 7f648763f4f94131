//! Arithmetic of one thread, with exactly PTX's semantics: functions from bits to bits, and which instruction computes
//! which. The emulator executes with them, and [`specialize`](mod@crate::specialize) evaluates.

pub mod approximate;
pub mod bits;
pub mod convert;
pub mod decode;
pub mod directed;
pub mod float;
pub mod integer;
pub mod machine;

use crate::{Operand, Type};

/// What a [`Machine`](machine::Machine) makes of an instruction.
pub type Made<X> = Result<<X as machine::Machine>::Made, <X as machine::Machine>::Error>;

/// The sources of an instruction, all of one type.
fn sources<X: machine::Machine, const N: usize>(
    m: &mut X,
    operands: &[Operand],
    ty: Type,
) -> Result<[X::Source; N], X::Error> {
    if operands.len() != N {
        return m.refuse();
    }
    let mut all = [None; N];
    for (to, operand) in all.iter_mut().zip(operands) {
        *to = Some(m.source(operand, ty)?);
    }
    Ok(all.map(|one| one.expect("there are as many operands")))
}

/// The combination of a `setp` result with another predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// Both.
    And,
    /// One of them, or both.
    Or,
    /// One of them.
    Xor,
}

impl Combine {
    /// The combination, one bit per lane.
    #[inline(always)]
    #[must_use]
    pub const fn apply(self, a: u32, b: u32) -> u32 {
        match self {
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
        }
    }
}

/// The value of a lane's register: 64 bits. A type uses the lower bits, the others are 0.
pub trait Lane: Copy + Send + Sync + 'static {
    /// The part of a register that the type uses.
    fn from_lane(lane: u64) -> Self;
    /// A register that holds the value.
    fn into_lane(self) -> u64;
}

macro_rules! integers {
    ($($unsigned:ty, $signed:ty;)*) => {
        $(
            impl Lane for $unsigned {
                #[inline(always)]
                fn from_lane(lane: u64) -> Self {
                    lane as $unsigned
                }

                #[inline(always)]
                fn into_lane(self) -> u64 {
                    self as u64
                }
            }

            impl Lane for $signed {
                #[inline(always)]
                fn from_lane(lane: u64) -> Self {
                    lane as $signed
                }

                #[inline(always)]
                fn into_lane(self) -> u64 {
                    self as $unsigned as u64
                }
            }
        )*
    };
}

integers! { u8, i8; u16, i16; u32, i32; u64, i64; }

impl Lane for f32 {
    #[inline(always)]
    fn from_lane(lane: u64) -> Self {
        f32::from_bits(lane as u32)
    }

    #[inline(always)]
    fn into_lane(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Lane for f64 {
    #[inline(always)]
    fn from_lane(lane: u64) -> Self {
        f64::from_bits(lane)
    }

    #[inline(always)]
    fn into_lane(self) -> u64 {
        self.to_bits()
    }
}
