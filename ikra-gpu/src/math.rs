//! temporary
pub trait Float {
    fn sqrt(self) -> Self;
}
impl Float for f64 {
    #[inline(always)]
    fn sqrt(self) -> f64 {
        core::intrinsics::sqrtf64(self)
    }
}
impl Float for f32 {
    #[inline(always)]
    fn sqrt(self) -> f32 {
        core::intrinsics::sqrtf32(self)
    }
}
