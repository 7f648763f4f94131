//! On the device, the methods of `f32` and `f64` that `std` has and `core` lacks.

use crate::math::Functions;

/// The trait of these methods, and their code. They call those of [`Functions`], if these are exact or if other bits
/// than the host's are allowed.
macro_rules! methods {
    (
        exact { $($exact:ident($($exact_arg:ident),*);)* }
        inexact { $($name:ident $refused:ident($($arg:ident),*) -> $out:ty, $wide:ident => $result:expr;)* }
    ) => {
        /// The methods that `std` gives `f32` and `f64`, so that a model may also call them on the device.
        ///
        /// Exact methods are exact here. The others have other bits than `std`'s. If the device must have the host's
        /// bits (`cfg(ikra_strict)`), they call a function that does not exist. `ikra-build` finds these calls and
        /// reports each with its position.
        pub trait StdMethods: Functions {
            $(
                /// `std`'s method with this name.
                #[must_use]
                fn $exact(self $(, $exact_arg: Self)*) -> Self;
            )*
            $(
                /// `std`'s method with this name, up to errors in the last places.
                #[must_use]
                fn $name(self $(, $arg: Self)*) -> $out;
            )*
            /// `std`'s method with this name, up to errors in the last places for powers other than −1, 0, 1 and 2.
            #[must_use]
            fn powi(self, n: i32) -> Self;
            /// `std`'s method with this name.
            #[must_use]
            fn abs_sub(self, other: Self) -> Self;
        }

        methods!(@of f32 exact { $($exact($($exact_arg),*);)* }
            inexact { $($name $refused($($arg),*) -> $out, $wide => $result;)* });
        methods!(@of f64 exact { $($exact($($exact_arg),*);)* }
            inexact { $($name $refused($($arg),*) -> $out, $wide => $result;)* });
    };
    (
        @of $ty:ident
        exact { $($exact:ident($($exact_arg:ident),*);)* }
        inexact { $($name:ident $refused:ident($($arg:ident),*) -> $out:ty, $wide:ident => $result:expr;)* }
    ) => {
        impl StdMethods for $ty {
            $(
                #[inline(always)]
                fn $exact(self $(, $exact_arg: Self)*) -> Self {
                    Functions::$exact(self $(, $exact_arg)*)
                }
            )*
            $(
                #[inline(always)]
                fn $name(self $(, $arg: Self)*) -> $out {
                    #[cfg(ikra_strict)]
                    {
                        unsafe extern "C" {
                            safe fn $refused(x: f64) -> f64;
                        }
                        $(let _ = $arg;)*
                        let $wide = $refused(f64::from(self)) as $ty;
                        $result
                    }
                    #[cfg(not(ikra_strict))]
                    Functions::$name(self $(, $arg)*)
                }
            )*
            #[inline(always)]
            fn powi(self, n: i32) -> Self {
                // `std`'s results for these are exact, or rounded once.
                match n {
                    -1 => 1.0 / self,
                    0 => 1.0,
                    1 => self,
                    2 => self * self,
                    _ => {
                        #[cfg(ikra_strict)]
                        {
                            unsafe extern "C" {
                                safe fn ikra_refused_powi(x: f64) -> f64;
                            }
                            ikra_refused_powi(f64::from(self)) as $ty
                        }
                        #[cfg(not(ikra_strict))]
                        Functions::powi(self, n)
                    }
                }
            }
            #[inline(always)]
            fn abs_sub(self, other: Self) -> Self {
                if self <= other { 0.0 } else { self - other }
            }
        }
    };
}

methods! {
    exact {
        sqrt();
        floor();
        ceil();
        trunc();
        round();
        round_ties_even();
        fract();
        mul_add(a, b);
        rem_euclid(y);
        div_euclid(y);
    }
    inexact {
        sin ikra_refused_sin() -> Self, x => x;
        cos ikra_refused_cos() -> Self, x => x;
        sin_cos ikra_refused_sin_cos() -> (Self, Self), x => (x, x);
        tan ikra_refused_tan() -> Self, x => x;
        asin ikra_refused_asin() -> Self, x => x;
        acos ikra_refused_acos() -> Self, x => x;
        atan ikra_refused_atan() -> Self, x => x;
        atan2 ikra_refused_atan2(x) -> Self, y => y;
        exp ikra_refused_exp() -> Self, x => x;
        exp2 ikra_refused_exp2() -> Self, x => x;
        exp_m1 ikra_refused_exp_m1() -> Self, x => x;
        ln ikra_refused_ln() -> Self, x => x;
        ln_1p ikra_refused_ln_1p() -> Self, x => x;
        log ikra_refused_log(base) -> Self, x => x;
        log2 ikra_refused_log2() -> Self, x => x;
        log10 ikra_refused_log10() -> Self, x => x;
        powf ikra_refused_powf(y) -> Self, x => x;
        sinh ikra_refused_sinh() -> Self, x => x;
        cosh ikra_refused_cosh() -> Self, x => x;
        tanh ikra_refused_tanh() -> Self, x => x;
        asinh ikra_refused_asinh() -> Self, x => x;
        acosh ikra_refused_acosh() -> Self, x => x;
        atanh ikra_refused_atanh() -> Self, x => x;
        cbrt ikra_refused_cbrt() -> Self, x => x;
        hypot ikra_refused_hypot(y) -> Self, x => x;
    }
}
