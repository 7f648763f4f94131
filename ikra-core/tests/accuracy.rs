//! How far the functions of `math` are from exact: `f32` from `std`'s `f64`, `f64` from `std`'s.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra_core::math;

/// Arguments of all magnitudes and both signs, those where functions are special among them.
fn singles() -> impl Iterator<Item = f32> {
    let spread = (0..1_u32 << 20).map(|n| f32::from_bits(n.wrapping_mul(4093).wrapping_add(n >> 7)));
    let near = (-200_000..=200_000).map(|n| n as f32 * 1e-4);
    let large = (0..100_000).map(|n| 8000.0 + n as f32 * 7.3);
    let special =
        [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE, 1e-45, f32::MAX];
    spread.chain(near).chain(large).chain(special)
}

/// The distance in units in the last place; 0 if both are NaN or the same infinity.
fn ulps(got: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if got.is_nan() || rounded.is_nan() {
        return if got.is_nan() && rounded.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == rounded {
        return 0.0;
    }
    if rounded.is_infinite() || got.is_infinite() {
        // One step beyond the largest number counts as one.
        return if got.abs() >= f32::MAX && rounded.abs() >= f32::MAX && got.signum() == rounded.signum() {
            1.0
        } else {
            f64::INFINITY
        };
    }
    let spacing = if rounded == 0.0 {
        f64::from(f32::from_bits(1))
    } else {
        f64::from(rounded.abs().next_up()) - f64::from(rounded.abs())
    };
    (f64::from(got) - exact).abs() / spacing
}

fn worst(name: &str, bound: f64, got: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64) {
    let (mut worst, mut at) = (0.0, 0.0);
    for x in singles() {
        let error = ulps(got(x), exact(f64::from(x)));
        if error > worst {
            (worst, at) = (error, x);
        }
    }
    println!("{name}: {worst:.3} ulp at {at:e}");
    assert!(
        worst <= bound || std::env::var_os("SHOW").is_some(),
        "{name}({at:e}) = {:e}, {worst} ulp from {:e}",
        got(at),
        exact(f64::from(at))
    );
}

#[test]
fn single_precision() {
    worst("rsqrt", 2.0, math::rsqrt, |x| 1.0 / x.sqrt());
    worst("sin", 2.0, math::sin, f64::sin);
    worst("cos", 2.0, math::cos, f64::cos);
    worst("tan", 3.0, math::tan, f64::tan);
    worst("asin", 3.0, math::asin, f64::asin);
    worst("acos", 3.0, math::acos, f64::acos);
    worst("atan", 3.0, math::atan, f64::atan);
    worst("exp", 2.0, math::exp, f64::exp);
    worst("exp2", 2.0, math::exp2, f64::exp2);
    worst("exp_m1", 2.0, math::exp_m1, f64::exp_m1);
    worst("ln", 2.0, math::ln, f64::ln);
    worst("ln_1p", 2.0, math::ln_1p, f64::ln_1p);
    worst("log2", 2.0, math::log2, f64::log2);
    worst("log10", 2.0, math::log10, f64::log10);
    worst("sinh", 3.0, math::sinh, f64::sinh);
    worst("cosh", 3.0, math::cosh, f64::cosh);
    worst("tanh", 3.0, math::tanh, f64::tanh);
    worst("cbrt", 2.0, math::cbrt, f64::cbrt);
    worst("asinh", 3.0, math::asinh, f64::asinh);
    worst("acosh", 3.0, math::acosh, f64::acosh);
    worst("atanh", 3.0, math::atanh, f64::atanh);
}

#[test]
fn single_precision_of_two_arguments() {
    let seconds = [0.3_f32, -2.5, 7.0, 1e-3, 123.456];
    for y in seconds {
        let wide = f64::from(y);
        worst("powf", 2.0, |x| math::powf(x, y), |x| x.powf(wide));
        worst("atan2", 3.0, |x| math::atan2(x, y), |x| x.atan2(wide));
        worst("hypot", 2.0, |x| math::hypot(x, y), |x| x.hypot(wide));
    }
    for n in [-3, 0, 1, 2, 5, 17] {
        worst("powi", 2.0, |x| math::powi(x, n), |x| x.powi(n));
    }
}

#[test]
fn rounding_and_signs() {
    for x in singles() {
        let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        assert!(same(math::floor(x), x.floor()) && same(math::ceil(x), x.ceil()), "{x:e}");
        assert!(same(math::trunc(x), x.trunc()) && same(math::round(x), x.round()), "{x:e}");
        assert!(same(math::sqrt(x), x.sqrt()), "{x:e}");
        assert!(same(math::fract(x), x.fract()) && same(math::round_ties_even(x), x.round_ties_even()), "{x:e}");
        for y in [0.1, -2.5, 1e10, -1e-40, 0.0, f32::INFINITY, f32::NAN] {
            assert!(same(math::rem(x, y), x % y), "{x:e} {y:e}");
            assert!(same(math::rem_euclid(x, y), x.rem_euclid(y)), "{x:e} {y:e}");
            assert!(same(math::div_euclid(x, y), x.div_euclid(y)), "{x:e} {y:e}");
            assert!(same(math::midpoint(x, y), x.midpoint(y)), "{x:e} {y:e}");
            assert!(math::min(x, y) == x.min(y) || x.min(y).is_nan(), "{x:e} {y:e}");
            assert!(math::max(x, y) == x.max(y) || x.max(y).is_nan(), "{x:e} {y:e}");
        }
    }
    // Powers that `f32` does not hold.
    for n in [16_777_217, -16_777_217, i32::MAX, i32::MIN, i32::MIN + 1] {
        let odd = n & 1 != 0;
        assert_eq!(math::powi(-1.0_f32, n), if odd { -1.0 } else { 1.0 }, "{n}");
        assert_eq!(math::powi(-1.0_f64, n), if odd { -1.0 } else { 1.0 }, "{n}");
    }
    for zero in [0.0_f32, -0.0] {
        for f in [math::sin, math::tan, math::asin, math::atan, math::sinh, math::tanh, math::cbrt, math::exp_m1] {
            assert_eq!(f(zero).to_bits(), zero.to_bits());
        }
    }
    assert_eq!(math::sin_cos(1.25_f32), (math::sin(1.25), math::cos(1.25)));
    assert_eq!(math::mul_add(3.0_f32, 5.0, 0.25), 15.25);
}

/// `f64` against `std`, which itself may be off by one.
#[test]
fn double_precision() {
    let check = |name: &str, bound: f64, got: &dyn Fn(f64) -> f64, expected: &dyn Fn(f64) -> f64| {
        for n in 0..200_000_u64 {
            let x = match n % 3 {
                0 => f64::from_bits(n.wrapping_mul(92_233_720_368_547_758)),
                1 => (n as f64 - 1e5) * 1e-3,
                _ => (n as f64 - 1e5) * 1.7e-6,
            };
            let (a, b) = (got(x), expected(x));
            let close = a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= bound * (b.abs().next_up() - b.abs());
            assert!(close, "{name}({x:e}) = {a:e}, std {b:e}");
        }
    };
    check("sin", 1.0, &math::sin, &f64::sin);
    check("cos", 1.0, &math::cos, &f64::cos);
    check("tan", 2.0, &math::tan, &f64::tan);
    check("asin", 2.0, &math::asin, &f64::asin);
    check("acos", 2.0, &math::acos, &f64::acos);
    check("atan", 2.0, &math::atan, &f64::atan);
    check("exp", 2.0, &math::exp, &f64::exp);
    check("exp2", 2.0, &math::exp2, &f64::exp2);
    check("exp_m1", 2.0, &math::exp_m1, &f64::exp_m1);
    check("ln", 2.0, &math::ln, &f64::ln);
    check("ln_1p", 2.0, &math::ln_1p, &f64::ln_1p);
    check("log2", 2.0, &math::log2, &f64::log2);
    check("log10", 2.0, &math::log10, &f64::log10);
    check("sinh", 3.0, &math::sinh, &f64::sinh);
    check("cosh", 3.0, &math::cosh, &f64::cosh);
    check("tanh", 3.0, &math::tanh, &f64::tanh);
    check("cbrt", 2.0, &math::cbrt, &f64::cbrt);
    // `std`'s are formulas that lose digits near 1, `libm` states 2 ulp.
    check("asinh", 16.0, &math::asinh, &f64::asinh);
    check("acosh", 16.0, &math::acosh, &f64::acosh);
    check("atanh", 16.0, &|x| math::atanh(x * 0.5), &|x| {
        if x.abs() < 1.0 { (x * 0.5).atanh() } else { math::atanh(x * 0.5) }
    });
    check("powf", 2.0, &|x| math::powf(x, 2.7), &|x| x.powf(2.7));
    check("hypot", 2.0, &|x| math::hypot(x, 1.3), &|x| x.hypot(1.3));
    check("atan2", 2.0, &|x| math::atan2(x, -0.7), &|x| x.atan2(-0.7));
}
