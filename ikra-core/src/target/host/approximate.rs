//! The device's fast instructions: here the exact functions.

macro_rules! exact {
    ($($name:ident)*) => { $(
        #[inline(always)]
        pub(crate) fn $name(x: f32, exact: impl FnOnce(f32) -> f32) -> f32 {
            exact(x)
        }
    )* };
}

exact! { sin cos exp ln rsqrt rcp }
