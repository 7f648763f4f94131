//! Arithmetic of one lane, with exactly PTX's semantics.

pub(crate) mod approximate;
pub(crate) mod bits;
pub(crate) mod convert;
pub(crate) mod directed;
pub(crate) mod float;
pub(crate) mod integer;

/// The value of a lane's register: 64 bits. A type uses the lower bits, the others are 0.
pub(crate) trait Lane: Copy + Send + Sync + 'static {
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
