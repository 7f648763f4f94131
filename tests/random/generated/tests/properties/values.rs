//! Values of different sizes and alignments.

use ikra::prelude::*;
use proptest::prelude::*;

/// A struct in one column, with padding.
#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Whole {
    pub tag: u8,
    pub weight: f64,
    pub near: [u16; 3],
}

/// A struct in three columns.
#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Parts {
    pub x: f32,
    pub id: u8,
    pub y: f64,
}

/// An enum for which zero is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(u8)]
pub enum Colour {
    Red = 1,
    Green = 5,
    Blue = 9,
}

impl Colour {
    pub fn next(self) -> Self {
        match self {
            Self::Red => Self::Green,
            Self::Green => Self::Blue,
            Self::Blue => Self::Red,
        }
    }
}

/// A larger alignment than a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(C, align(256))]
pub struct Wide {
    pub n: u32,
}

/// One object, with floating-point numbers as bits and links as ids. So `==` compares the payload of a NaN and the sign
/// of 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain {
    pub byte: u8,
    pub flag: bool,
    pub short: u16,
    pub real: u32,
    pub double: u64,
    pub vector: [u32; 3],
    pub long: u64,
    pub huge: u128,
    pub next: Option<u32>,
    pub whole: (u8, u64, [u16; 3]),
    pub parts: (u32, u8, u64),
    pub colour: Colour,
    pub wide: u32,
    pub count: u32,
    pub holder: Option<u32>,
}

impl Plain {
    /// Any object, with links that may be out of range.
    pub fn any() -> impl Strategy<Value = Self> {
        let colour = prop_oneof![Just(Colour::Red), Just(Colour::Green), Just(Colour::Blue)];
        (
            any::<(u8, bool, u16)>(),
            (any_f32(), any_f64(), [any_f32(), any_f32(), any_f32()]),
            any::<(u64, u128, Option<u32>)>(),
            (any::<u8>(), any_f64(), any::<[u16; 3]>()),
            (any_f32(), any::<u8>(), any_f64()),
            (colour, any::<u32>(), any::<u32>(), any::<Option<u32>>()),
        )
            .prop_map(
                |(
                    (byte, flag, short),
                    (real, double, vector),
                    (long, huge, next),
                    whole,
                    parts,
                    (colour, wide, count, holder),
                )| {
                    Self {
                        byte,
                        flag,
                        short,
                        real,
                        double,
                        vector,
                        long,
                        huge,
                        next,
                        whole,
                        parts,
                        colour,
                        wide,
                        count,
                        holder,
                    }
                },
            )
    }

    /// The object with its links reduced to `len` objects.
    #[must_use]
    pub fn linked(mut self, len: usize) -> Self {
        let among = |id: u32| id % len as u32 + 1;
        self.next = self.next.map(among);
        self.holder = self.holder.map(among);
        self
    }

    /// An object computed from a number; the class's constructor uses it too.
    pub fn numbered(id: u32, seed: u64) -> Self {
        let mix = |salt: u64| (u64::from(id) ^ seed ^ salt.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self {
            byte: mix(1) as u8,
            flag: mix(2) & 64 != 0,
            short: (mix(3) >> 20) as u16,
            // Includes payloads of NaNs.
            real: if id % 7 == 3 { 0x7fc0_0000 | id } else { (id as f32 * 0.25).to_bits() },
            double: if id % 11 == 5 { 0xfff8_0000_0000_0000 | u64::from(id) } else { f64::from(id).to_bits() },
            vector: [id, id ^ 0x3f80_0000, 0x8000_0000],
            long: mix(4),
            huge: u128::from(mix(5)) << 64 | u128::from(mix(6)),
            next: id.checked_sub(1 + mix(7) as u32 % 5).map(|id| id + 1),
            whole: (mix(8) as u8, mix(9) >> 2, [id as u16, 1, mix(10) as u16]),
            parts: (0xbf80_0000, mix(11) as u8, 0x3ff0_0000_0000_0000),
            colour: [Colour::Red, Colour::Green, Colour::Blue][id as usize % 3],
            wide: mix(12) as u32,
            count: 0,
            holder: None,
        }
    }
}

/// Numbers, infinities and NaNs with payloads, as bits.
fn any_f32() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        any::<f32>().prop_map(f32::to_bits),
        (1u32..0x40_0000).prop_map(|bits| 0x7fc0_0000 | bits)
    ]
}

fn any_f64() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        any::<f64>().prop_map(f64::to_bits),
        (1u64..0x8_0000_0000_0000).prop_map(|bits| 0xfff8_0000_0000_0000 | bits)
    ]
}
