//! Numbers and `bool`.

use super::{Float, LaneArray, Value};
use crate::directory::Targets;
use crate::origin::meaning;
use crate::phase::Phase;

/// Implements [`Value`] for a type that a view shows unchanged.
macro_rules! plain_value {
    ($($ty:ty: $placeholder:expr, |$a:ident, $b:ident| $same:expr $(, $float:ident)?;)*) => { $(
        // SAFETY: 1. a primitive (or a type of the same guarantees, named by the caller) has the same size and
        // bytes on every supported target; 2. it holds no pointer.
        unsafe impl Value for $ty {
            type View<'w, P: Phase> = Self;
            type Lanes = LaneArray<Self>;
            const PLACEHOLDER: Self = $placeholder;
            const MEANING: u64 =
                meaning(stringify!($ty), &[size_of::<Self>() as u64, align_of::<Self>() as u64]);
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
                let ($a, $b) = (self, other);
                $same
            }
            $(
                #[inline]
                fn show_floats(&mut self, show: &mut impl FnMut(Float<'_>)) {
                    show(Float::$float(self));
                }
            )?
        }
    )* };
}
#[cfg(feature = "glam")]
pub(crate) use plain_value;

plain_value! {
    u8: 0, |a, b| a == b;
    u16: 0, |a, b| a == b;
    u32: 0, |a, b| a == b;
    u64: 0, |a, b| a == b;
    u128: 0, |a, b| a == b;
    i8: 0, |a, b| a == b;
    i16: 0, |a, b| a == b;
    i32: 0, |a, b| a == b;
    i64: 0, |a, b| a == b;
    i128: 0, |a, b| a == b;
    bool: false, |a, b| a == b;
    f32: 0.0, |a, b| a.to_bits() == b.to_bits(), Single;
    f64: 0.0, |a, b| a.to_bits() == b.to_bits(), Double;
}
