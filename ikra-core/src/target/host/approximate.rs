//! The device's fast instructions: here the exact functions.

use crate::math::{Functions, GpuFloat};

pub(crate) fn sin(x: f32) -> f32 {
    Functions::sin(x)
}
pub(crate) fn cos(x: f32) -> f32 {
    Functions::cos(x)
}
pub(crate) fn exp(x: f32) -> f32 {
    Functions::exp(x)
}
pub(crate) fn ln(x: f32) -> f32 {
    Functions::ln(x)
}
pub(crate) fn rsqrt(x: f32) -> f32 {
    GpuFloat::rsqrt(x)
}
#[inline]
pub(crate) fn rcp(x: f32) -> f32 {
    1.0 / x
}
