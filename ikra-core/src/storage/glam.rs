//! glam's vectors and matrices as values.

use glam::{
    DMat2, DMat3, DMat4, DQuat, DVec2, DVec3, DVec4, IVec2, IVec3, IVec4, Mat2, Mat3, Mat4, Quat, UVec2, UVec3, UVec4,
    Vec2, Vec3, Vec3A, Vec4,
};

use super::Flatten;
use crate::directory::Targets;
use crate::origin::meaning;
use crate::phase::Phase;
use crate::value::{LaneArray, Value, plain_value};

plain_value! {
    Vec2: Vec2::ZERO, |a, b| a.to_array().same(&b.to_array());
    Vec3: Vec3::ZERO, |a, b| a.to_array().same(&b.to_array());
    Vec3A: Vec3A::ZERO, |a, b| a.to_array().same(&b.to_array());
    Vec4: Vec4::ZERO, |a, b| a.to_array().same(&b.to_array());
    Quat: Quat::IDENTITY, |a, b| a.to_array().same(&b.to_array());
    Mat2: Mat2::ZERO, |a, b| a.to_cols_array().same(&b.to_cols_array());
    Mat3: Mat3::ZERO, |a, b| a.to_cols_array().same(&b.to_cols_array());
    Mat4: Mat4::ZERO, |a, b| a.to_cols_array().same(&b.to_cols_array());
    DVec2: DVec2::ZERO, |a, b| a.to_array().same(&b.to_array());
    DVec3: DVec3::ZERO, |a, b| a.to_array().same(&b.to_array());
    DVec4: DVec4::ZERO, |a, b| a.to_array().same(&b.to_array());
    DQuat: DQuat::IDENTITY, |a, b| a.to_array().same(&b.to_array());
    DMat2: DMat2::ZERO, |a, b| a.to_cols_array().same(&b.to_cols_array());
    DMat3: DMat3::ZERO, |a, b| a.to_cols_array().same(&b.to_cols_array());
    DMat4: DMat4::ZERO, |a, b| a.to_cols_array().same(&b.to_cols_array());
    IVec2: IVec2::ZERO, |a, b| a == b;
    IVec3: IVec3::ZERO, |a, b| a == b;
    IVec4: IVec4::ZERO, |a, b| a == b;
    UVec2: UVec2::ZERO, |a, b| a == b;
    UVec3: UVec3::ZERO, |a, b| a == b;
    UVec4: UVec4::ZERO, |a, b| a == b;
}

/// Implements [`Flatten`] for vectors, with one column per component.
macro_rules! flatten_vectors {
    ($($ty:ident: $scalar:ty, $($part:ident)+;)*) => { $(
        impl Flatten for $ty {
            type Parts = ($(flatten_vectors!(@scalar $part $scalar),)+);
            const PART_NAMES: &'static [&'static str] = &[$(stringify!($part)),+];
            #[inline(always)]
            fn into_parts(self) -> Self::Parts {
                ($(self.$part,)+)
            }
            #[inline(always)]
            fn from_parts(($($part,)+): Self::Parts) -> Self {
                Self::new($($part),+)
            }
        }
    )* };
    (@scalar $part:ident $scalar:ty) => { $scalar };
}

flatten_vectors! {
    Vec2: f32, x y;
    Vec3: f32, x y z;
    Vec3A: f32, x y z;
    Vec4: f32, x y z w;
    DVec2: f64, x y;
    DVec3: f64, x y z;
    DVec4: f64, x y z w;
    IVec2: i32, x y;
    IVec3: i32, x y z;
    IVec4: i32, x y z w;
    UVec2: u32, x y;
    UVec3: u32, x y z;
    UVec4: u32, x y z w;
}
