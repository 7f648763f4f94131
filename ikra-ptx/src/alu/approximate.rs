//! Functions that hardware approximates.
//!
//! Results here are more precise than hardware's: computed in 64 bits and rounded once. Programs that depend on the
//! bits of an approximation differ between generations of hardware, too.

use super::float::Real;

/// Functions of one operand of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approximate {
    /// `sin`
    Sine,
    /// `cos`
    Cosine,
    /// `ex2`
    Power2,
    /// `lg2`
    Logarithm2,
    /// `rcp`
    Reciprocal,
    /// `sqrt`
    Root,
    /// `rsqrt`
    ReciprocalRoot,
    /// `tanh`
    HyperbolicTangent,
}

/// The function of a double.
pub fn of_f64(x: f64, function: Approximate) -> f64 {
    match function {
        Approximate::Sine => x.sin(),
        Approximate::Cosine => x.cos(),
        Approximate::Power2 => x.exp2(),
        Approximate::Logarithm2 => x.log2(),
        Approximate::Reciprocal => 1.0 / x,
        Approximate::Root => x.sqrt(),
        Approximate::ReciprocalRoot => 1.0 / x.sqrt(),
        Approximate::HyperbolicTangent => x.tanh(),
    }
}

/// The function of a float.
pub fn of_f32(x: f32, function: Approximate, ftz: bool) -> f32 {
    let x = if ftz { x.flushed() } else { x };
    let y = of_f64(f64::from(x), function) as f32;
    (if ftz { y.flushed() } else { y }).canonical()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_special_points() {
        assert_eq!(of_f32(0.0, Approximate::Reciprocal, false), f32::INFINITY);
        assert_eq!(of_f32(-0.0, Approximate::ReciprocalRoot, false), f32::NEG_INFINITY);
        assert_eq!(of_f32(3.0, Approximate::Power2, false), 8.0);
        assert_eq!(of_f32(0.0, Approximate::Logarithm2, false), f32::NEG_INFINITY);
        assert_eq!(of_f32(-1.0, Approximate::Root, false).to_bits(), 0x7fff_ffff);
        assert_eq!(of_f32(f32::MIN_POSITIVE / 2.0, Approximate::Logarithm2, true), f32::NEG_INFINITY);
        assert_eq!(of_f32(f32::INFINITY, Approximate::Sine, false).to_bits(), 0x7fff_ffff);
        assert!((of_f32(1.0, Approximate::Cosine, false) - 0.540_302_3).abs() < 1e-6);
        assert_eq!(of_f32(20.0, Approximate::HyperbolicTangent, false), 1.0);
    }
}
