//! Numbers whose sums are exact.

use core::cmp::Ordering;
use core::fmt;
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use super::{LaneArray, Value};
use crate::directory::Targets;
use crate::phase::Phase;

/// A number in fixed point: 64 bits with a sign, `FRACTION` of them after the binary point.
///
/// Sums of `f32` and `f64` depend on the order of the summands, because each addition rounds. Fixed-point additions are
/// integer additions: they are exact, so every order gives the same sum. This makes the type suitable for `#[atomic]`
/// fields that many objects add to at once.
///
/// | `Fixed<FRACTION>` | |
/// | --- | --- |
/// | smallest step | 2<sup>-FRACTION</sup> |
/// | range | from -2<sup>63-FRACTION</sup> to less than 2<sup>63-FRACTION</sup> |
/// | from `f32`, `f64` | to the nearest step, ties to even; saturates; NaN becomes 0 |
/// | to `f32`, `f64` | to the nearest number of the type, ties to even |
/// | `+`, `-`, `add`, `sub` of an [`Atomic`](crate::storage::Atomic) | exact; sums out of range wrap around, as integers do in release builds |
///
/// Host and device have the same bits. `FRACTION` is at most 62.
///
/// ```
/// use ikra::Fixed;
/// use ikra::prelude::*;
///
/// #[soa_class]
/// pub struct Cell { #[atomic] pub mass: Fixed<32> }
/// #[soa_class]
/// pub struct Particle { pub mass: f32, pub cell: Link<Cell> }
///
/// #[soa_methods]
/// impl Particle {
///     #[kernel]
///     pub fn deposit(&mut self) { self.cell.mass().add(self.mass.into()); }
/// }
///
/// #[soa_world]
/// pub struct Gas { pub cells: Objects<Cell>, pub particles: Objects<Particle> }
///
/// # fn main() -> Result<(), ikra::Error> {
/// let mut gas = Gas::new();
/// let cell = gas.cells.push(Cell { mass: Fixed::ZERO })?;
/// gas.particles.extend((0..1000).map(|_| Particle { mass: 0.25, cell }))?;
/// gas.execute(Particle::deposit, ());
/// assert_eq!(f32::from(gas.get(cell).mass().load()), 250.0);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Fixed<const FRACTION: u32>(i64);

impl<const FRACTION: u32> Fixed<FRACTION> {
    /// 0.
    pub const ZERO: Self = Self(0);
    /// The smallest number.
    pub const MIN: Self = Self(i64::MIN);
    /// The largest number.
    pub const MAX: Self = Self(i64::MAX);
    /// The smallest number larger than 0.
    pub const STEP: Self = Self(1);

    /// The number with this many steps.
    ///
    /// ```
    /// assert_eq!(f64::from(ikra::Fixed::<4>::from_bits(-24)), -1.5);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn from_bits(steps: i64) -> Self {
        const { assert!(FRACTION <= 62, "`Fixed` has at most 62 bits after the point") };
        Self(steps)
    }

    /// The number in steps.
    ///
    /// ```
    /// assert_eq!(ikra::Fixed::<4>::from(-1.5).to_bits(), -24);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn to_bits(self) -> i64 {
        self.0
    }

    /// 2<sup>-FRACTION</sup>, exactly.
    const STEP_F32: f32 = f32::from_bits((127 - FRACTION) << 23);
    /// 2<sup>-FRACTION</sup>, exactly.
    const STEP_F64: f64 = f64::from_bits((1023 - FRACTION as u64) << 52);
}

impl<const FRACTION: u32> From<f64> for Fixed<FRACTION> {
    /// To the nearest step, ties to even, within the range; NaN becomes 0.
    #[inline]
    fn from(value: f64) -> Self {
        // By integers only, so that host and device agree.
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        if exponent == 0x7ff && fraction != 0 {
            return Self::ZERO;
        }
        // The value is `mantissa` times 2 to the power of `exponent - 1075`, below the normal numbers -1074.
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let shift = exponent.max(1) - 1075 + FRACTION as i32;
        let is_negative = bits >> 63 == 1;
        let magnitude = match shift {
            // At least 2^63: the mantissa of a normal number has 53 bits.
            11.. => return if is_negative { Self::MIN } else { Self::MAX },
            0.. => mantissa.wrapping_shl(shift as u32),
            -63.. => {
                let down = shift.unsigned_abs();
                let (whole, rest, half) = (mantissa >> down, mantissa & ((1 << down) - 1), 1_u64 << (down - 1));
                match rest.cmp(&half) {
                    Ordering::Less => whole,
                    Ordering::Equal => whole + (whole & 1),
                    Ordering::Greater => whole + 1,
                }
            }
            _ => 0,
        };
        Self::from_bits(if is_negative { -(magnitude as i64) } else { magnitude as i64 })
    }
}

impl<const FRACTION: u32> From<f32> for Fixed<FRACTION> {
    /// To the nearest step, ties to even, within the range; NaN becomes 0.
    #[inline]
    fn from(value: f32) -> Self {
        Self::from(f64::from(value))
    }
}

impl<const FRACTION: u32> From<Fixed<FRACTION>> for f64 {
    /// To the nearest number of the type.
    #[inline]
    fn from(value: Fixed<FRACTION>) -> f64 {
        value.0 as f64 * Fixed::<FRACTION>::STEP_F64
    }
}

impl<const FRACTION: u32> From<Fixed<FRACTION>> for f32 {
    /// To the nearest number of the type.
    #[inline]
    fn from(value: Fixed<FRACTION>) -> f32 {
        value.0 as f32 * Fixed::<FRACTION>::STEP_F32
    }
}

impl<const FRACTION: u32> Add for Fixed<FRACTION> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl<const FRACTION: u32> Sub for Fixed<FRACTION> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

impl<const FRACTION: u32> Neg for Fixed<FRACTION> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self(self.0.wrapping_neg())
    }
}

impl<const FRACTION: u32> AddAssign for Fixed<FRACTION> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const FRACTION: u32> SubAssign for Fixed<FRACTION> {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<const FRACTION: u32> fmt::Debug for Fixed<FRACTION> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&f64::from(*self), f)
    }
}

impl<const FRACTION: u32> fmt::Display for Fixed<FRACTION> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&f64::from(*self), f)
    }
}

// SAFETY: 1. `repr(transparent)` over `i64`; 2. a number.
unsafe impl<const FRACTION: u32> Value for Fixed<FRACTION> {
    type View<'w, P: Phase> = Self;
    type Lanes = LaneArray<Self>;
    const PLACEHOLDER: Self = Self::ZERO;
    #[inline(always)]
    unsafe fn view<'w, P: Phase>(self, _: Targets<'w>) -> Self {
        self
    }
    #[inline(always)]
    fn unview<P: Phase>(view: Self) -> Self {
        view
    }
    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}
