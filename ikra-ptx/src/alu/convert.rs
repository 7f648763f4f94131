//! Conversions between types: `cvt`.

use super::{
    directed::{
        Rounding, bf16_of_f64, f16_of_f64, f32_of_f64, f32_of_integer, f64_of_bf16, f64_of_f16, f64_of_integer,
    },
    float::{Real, saturate},
};

/// Types of values that `cvt` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// An integer: its bits, and whether it is signed.
    Integer(u32, bool),
    /// Half precision.
    F16,
    /// The upper half of 32 bits.
    Bf16,
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

impl Type {
    const fn is_integer(self) -> bool {
        matches!(self, Self::Integer(..))
    }
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The type of the result.
    pub to: Type,
    /// The type of the operand.
    pub from: Type,
    /// The rounding of a float result, or to an integer.
    pub rounding: Rounding,
    /// `.rni` and so on: a float result is an integer.
    pub to_integer: bool,
    /// `.ftz`: subnormal operands and results are zeros of the same sign.
    pub ftz: bool,
    /// `.sat`: the result is clamped.
    pub sat: bool,
    /// `.relu`: negative results are 0.
    pub relu: bool,
}

/// An integer's value.
#[inline(always)]
const fn integer(lane: u64, bits: u32, signed: bool) -> i128 {
    let shift = 64 - bits;
    if signed { (((lane << shift) as i64) >> shift) as i128 } else { ((lane << shift) >> shift) as i128 }
}

/// The lower bits of a register.
#[inline(always)]
const fn lower(lane: u64, bits: u32) -> u64 {
    if bits == 64 { lane } else { lane & ((1 << bits) - 1) }
}

#[inline(always)]
fn round_f64(x: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => x.round_ties_even(),
        Rounding::Zero => x.trunc(),
        Rounding::Down => x.floor(),
        Rounding::Up => x.ceil(),
        Rounding::Away => x.round(),
    }
}

impl Conversion {
    /// Converts a register's value. The result fills its type; a signed integer extends to 64 bits, and the register
    /// keeps the lower ones.
    #[inline]
    pub fn apply(self, lane: u64) -> u64 {
        match (self.to, self.from) {
            (Type::Integer(to, to_signed), Type::Integer(from, from_signed)) => {
                let value = integer(lane, from, from_signed);
                let value = if self.sat {
                    let (min, max) =
                        if to_signed { (-(1i128 << (to - 1)), (1 << (to - 1)) - 1) } else { (0, (1 << to) - 1) };
                    value.clamp(min, max)
                } else {
                    value
                };
                integer(value as u64, to, to_signed) as u64
            }
            (Type::Integer(bits, signed), _) => {
                let x = round_f64(self.operand(lane), self.rounding);
                // `as` clamps, and makes 0 of NaN.
                let value = if signed {
                    let x = x as i64;
                    if bits == 64 { x } else { x.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) }
                } else {
                    let x = x as u64;
                    (if bits == 64 { x } else { x.min((1 << bits) - 1) }) as i64
                };
                value as u64
            }
            (to, Type::Integer(bits, signed)) => {
                let value = integer(lane, bits, signed);
                match to {
                    Type::F32 => {
                        let x = match self.rounding {
                            Rounding::Nearest if signed => value as i64 as f32,
                            Rounding::Nearest => value as u64 as f32,
                            rounding => f32_of_integer(value, rounding),
                        };
                        self.finish_f32(x)
                    }
                    Type::F64 => {
                        let x = match self.rounding {
                            Rounding::Nearest if signed => value as i64 as f64,
                            Rounding::Nearest => value as u64 as f64,
                            rounding => f64_of_integer(value, rounding),
                        };
                        self.finish_f64(x)
                    }
                    // An integer of 64 bits is rounded to odd first, so that the second rounding is right.
                    _ => self.finish_half(to_odd(value)),
                }
            }
            (Type::F32, Type::F32) => {
                let x = f32::from_bits(lane as u32);
                let x = if self.ftz { x.flushed() } else { x };
                let x = if self.to_integer { round_f64(f64::from(x), self.rounding) as f32 } else { x };
                self.finish_f32(x)
            }
            (Type::F32, _) => {
                let x = self.operand(lane);
                let x = match self.rounding {
                    Rounding::Nearest => x as f32,
                    rounding if x.is_nan() => return self.finish_f32(f32::NAN + rounding as u8 as f32),
                    rounding => f32_of_f64(x, rounding),
                };
                self.finish_f32(x)
            }
            (Type::F64, _) => {
                let x = self.operand(lane);
                self.finish_f64(if self.to_integer { round_f64(x, self.rounding) } else { x })
            }
            (Type::F16 | Type::Bf16, from) => {
                let x = self.operand(lane);
                let x = if self.to_integer { round_f64(x, self.rounding) } else { x };
                debug_assert!(!from.is_integer());
                self.finish_half(x)
            }
        }
    }

    /// A float operand, exactly.
    #[inline(always)]
    fn operand(self, lane: u64) -> f64 {
        match self.from {
            Type::F32 => {
                let x = f32::from_bits(lane as u32);
                f64::from(if self.ftz { x.flushed() } else { x })
            }
            Type::F64 => f64::from_bits(lane),
            Type::F16 => f64_of_f16(lane as u16),
            Type::Bf16 => f64_of_bf16(lane as u16),
            Type::Integer(..) => unreachable!("integers are converted apart"),
        }
    }

    #[inline(always)]
    fn finish_f32(self, x: f32) -> u64 {
        let x = if self.ftz { x.flushed() } else { x };
        let x = if self.sat { saturate(x) } else { x.canonical() };
        u64::from(x.to_bits())
    }

    #[inline(always)]
    fn finish_f64(self, x: f64) -> u64 {
        (if self.sat { saturate(x) } else { x }).to_bits()
    }

    fn finish_half(self, x: f64) -> u64 {
        let x = if self.sat { saturate(x) } else { x };
        let x = if self.relu && x < 0.0 { 0.0 } else { x };
        let rounding = if self.to_integer { Rounding::Nearest } else { self.rounding };
        u64::from(if self.to == Type::Bf16 { bf16_of_f64(x, rounding) } else { f16_of_f64(x, rounding) })
    }
}

/// The integer in 64 bits; if it is not exact, with the last bit set.
fn to_odd(value: i128) -> f64 {
    let x = f64_of_integer(value, Rounding::Zero);
    if x as i128 == value { x } else { f64::from_bits(x.to_bits() | 1) }
}

/// The register's part of a converted value.
#[inline(always)]
pub const fn to_register(lane: u64, bits: u32) -> u64 {
    lower(lane, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const U: fn(u32) -> Type = |bits| Type::Integer(bits, false);
    const S: fn(u32) -> Type = |bits| Type::Integer(bits, true);

    fn conversion(to: Type, from: Type, rounding: Rounding) -> Conversion {
        Conversion { to, from, rounding, to_integer: false, ftz: false, sat: false, relu: false }
    }

    #[test]
    fn integers_extend_truncate_and_saturate() {
        let plain = |to, from, x| conversion(to, from, Rounding::Nearest).apply(x);
        assert_eq!(plain(S(64), S(16), 0x8000), 0xffff_ffff_ffff_8000);
        assert_eq!(plain(U(64), U(16), 0xffff_8000), 0x8000);
        assert_eq!(to_register(plain(S(16), S(8), 0xff), 16), 0xffff);
        assert_eq!(plain(U(16), U(64), 0x12_3456), 0x3456);
        let sat = |to, from, x| Conversion { sat: true, ..conversion(to, from, Rounding::Nearest) }.apply(x);
        assert_eq!(sat(U(8), S(32), 0xffff_ffff), 0);
        assert_eq!(sat(U(8), S(32), 300), 255);
        assert_eq!(sat(S(8), S(32), (-300i32) as u32 as u64) as i64, -128);
        assert_eq!(sat(S(32), U(64), u64::MAX), 0x7fff_ffff);
    }

    #[test]
    fn floats_clamp_to_integers() {
        let f = |to, x: f64, rounding| conversion(to, Type::F64, rounding).apply(x.to_bits());
        assert_eq!(f(S(32), -1.5, Rounding::Zero) as i64, -1);
        assert_eq!(f(S(32), -1.5, Rounding::Down) as i64, -2);
        assert_eq!(f(S(32), 2.5, Rounding::Nearest), 2);
        assert_eq!(f(S(32), 2.1, Rounding::Up), 3);
        assert_eq!(f(U(16), 1e9, Rounding::Zero), 65535);
        assert_eq!(f(S(16), -1e9, Rounding::Zero) as i64, -32768);
        assert_eq!(f(U(64), 1e30, Rounding::Zero), u64::MAX);
        assert_eq!(f(U(32), f64::NAN, Rounding::Zero), 0);
        assert_eq!(f(U(32), -5.0, Rounding::Zero), 0);
        let g = |to, x: f32| conversion(to, Type::F32, Rounding::Zero).apply(x.to_bits().into());
        assert_eq!(g(S(64), -3.9) as i64, -3);
        assert_eq!(g(U(8), 299.0), 255);
    }

    #[test]
    fn integers_round_to_floats() {
        let f = |from, x: u64, rounding| f32::from_bits(conversion(Type::F32, from, rounding).apply(x) as u32);
        assert_eq!(f(U(32), 0x0100_0001, Rounding::Nearest), 16_777_216.0);
        assert_eq!(f(U(32), 0x0100_0001, Rounding::Up), 16_777_218.0);
        assert_eq!(f(S(32), 0xffff_ffff, Rounding::Nearest), -1.0);
        assert_eq!(f(U(64), u64::MAX, Rounding::Zero), 18_446_742_974_197_923_840.0);
        assert_eq!(f(S(16), 0xffff, Rounding::Nearest), -1.0);
        let d = conversion(Type::F64, U(64), Rounding::Nearest).apply(u64::MAX);
        assert_eq!(f64::from_bits(d), 18_446_744_073_709_551_616.0);
        assert_eq!(conversion(Type::F16, U(64), Rounding::Nearest).apply(2049), 0x6800);
        assert_eq!(conversion(Type::F16, U(64), Rounding::Nearest).apply(2051), 0x6802);
    }

    #[test]
    fn floats_change_their_width() {
        let f = |x: f64, rounding| f32::from_bits(conversion(Type::F32, Type::F64, rounding).apply(x.to_bits()) as u32);
        assert_eq!(f(0.1, Rounding::Nearest), 0.1);
        assert_eq!(f(0.1, Rounding::Down), 0.1f32.next_down());
        assert_eq!(f(1e300, Rounding::Zero), f32::MAX);
        assert_eq!(f(f64::NAN, Rounding::Nearest).to_bits(), 0x7fff_ffff);
        assert_eq!(f(f64::NAN, Rounding::Up).to_bits(), 0x7fff_ffff);
        let to_integer = Conversion { to_integer: true, ..conversion(Type::F32, Type::F32, Rounding::Up) };
        assert_eq!(f32::from_bits(to_integer.apply(1.25f32.to_bits().into()) as u32), 2.0);
        let sat = Conversion { sat: true, ..conversion(Type::F32, Type::F32, Rounding::Nearest) };
        assert_eq!(sat.apply(f32::NAN.to_bits().into()), 0);
        let relu = Conversion { relu: true, ..conversion(Type::Bf16, Type::F32, Rounding::Nearest) };
        assert_eq!(relu.apply((-2.0f32).to_bits().into()), 0);
        assert_eq!(conversion(Type::F32, Type::F16, Rounding::Nearest).apply(0xc000), u64::from((-2.0f32).to_bits()));
    }
}
