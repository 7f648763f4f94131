//! Operations that IEEE 754 defines to the last bit, by the standard library; and the minimum and maximum of two
//! numbers.

macro_rules! operations {
    ($($module:ident $ty:ident)*) => { $(
        pub(crate) mod $module {
            operations! { @methods $ty: sqrt(x) floor(x) ceil(x) trunc(x) round(x) round_ties_even(x) mul_add(x, a, b) }

            #[inline(always)]
            pub(crate) fn rem(x: $ty, y: $ty) -> $ty {
                x % y
            }

            #[inline(always)]
            pub(crate) fn min(a: $ty, b: $ty) -> $ty {
                let smaller = if a < b { a } else { b };
                // Zeros: negative if one of them is. Other equal numbers have equal bits.
                let smaller = if a == b { $ty::from_bits(a.to_bits() | b.to_bits()) } else { smaller };
                if b.is_nan() { a } else { smaller }
            }

            #[inline(always)]
            pub(crate) fn max(a: $ty, b: $ty) -> $ty {
                let larger = if a > b { a } else { b };
                // Zeros: negative if both are.
                let larger = if a == b { $ty::from_bits(a.to_bits() & b.to_bits()) } else { larger };
                if b.is_nan() { a } else { larger }
            }
        }
    )* };
    (@methods $ty:ident: $($name:ident($x:ident $(, $arg:ident)*))*) => { $(
        #[inline(always)]
        pub(crate) fn $name($x: $ty $(, $arg: $ty)*) -> $ty {
            $x.$name($($arg),*)
        }
    )* };
}

operations! { single f32 double f64 }

/// The number.
#[inline(always)]
pub(crate) fn settled(number: u32) -> u32 {
    number
}

/// The upper and the lower half of a product.
#[inline(always)]
pub(crate) const fn wide(a: u32, b: u32) -> (u32, u32) {
    let product = a as u64 * b as u64;
    ((product >> 32) as u32, product as u32)
}

/// The device's fast instructions: here the exact functions.
pub(crate) mod approximate {
    macro_rules! exact {
        ($($name:ident)*) => { $(
            #[inline(always)]
            pub(crate) fn $name(x: f32, exact: impl FnOnce(f32) -> f32) -> f32 {
                exact(x)
            }
        )* };
    }

    exact! { sin cos exp ln rsqrt rcp }
}
