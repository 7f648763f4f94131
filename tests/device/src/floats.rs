//! Every operation and method of `f32` and `f64` for which host and device must give the same bits.

use ikra::math;
use ikra::prelude::*;

/// In generic code these are the methods of `ikra::math`, on both sides.
fn generic<T: GpuFloat>(x: T) -> T {
    x.sin().exp()
}

/// A class of numbers of one type, and kernels that test its methods.
macro_rules! numbers {
    ($class:ident $world:ident $float:ident $other:ident $bits:ident) => {
        #[soa_class]
        #[derive(Clone, Debug)]
        pub struct $class {
            pub x: $float,
            pub y: $float,
            pub z: $float,
            pub whole: i64,
            pub operators: [$float; 12],
            pub methods: [$float; 32],
            pub functions: [$float; 48],
            pub integers: [u64; 14],
            pub others: [$other; 2],
            pub converted: [$float; 8],
        }

        #[soa_methods]
        impl $class {
            #[kernel]
            pub fn operate(&mut self) {
                let (x, y, z) = (self.x, self.y, self.z);
                let mut sum = x;
                sum += y;
                sum *= z;
                sum -= x;
                sum /= y;
                self.operators = [
                    x + y,
                    x - y,
                    x * y,
                    x / y,
                    -x,
                    x * y + z,
                    x - y * z,
                    sum,
                    [x, y, z].iter().sum(),
                    [x, y, z].into_iter().product(),
                    if x < y { x } else { y },
                    [x, y, z].into_iter().fold(1.0, |a, b| if a >= b { a } else { b }),
                ];
            }

            #[kernel]
            #[allow(deprecated, reason = "all methods")]
            #[allow(clippy::suboptimal_flops, clippy::manual_clamp, reason = "as models may be written")]
            pub fn call_methods(&mut self) {
                let (x, y, z) = (self.x, self.y, self.z);
                self.methods = [
                    x.abs(),
                    x.signum(),
                    x.copysign(y),
                    x.recip(),
                    x.to_degrees(),
                    x.to_radians(),
                    x.next_up(),
                    x.next_down(),
                    x.clamp(0.0, 1.0),
                    x.clamp(-0.0, 0.0),
                    x.clamp(-2.5, 100.0),
                    x.floor(),
                    x.ceil(),
                    x.trunc(),
                    x.round(),
                    x.round_ties_even(),
                    x.fract(),
                    x.sqrt(),
                    x.mul_add(y, z),
                    x.rem_euclid(y),
                    x.div_euclid(y),
                    x.abs_sub(y),
                    x.powi(-1),
                    x.powi(0),
                    x.powi(1),
                    x.powi(2),
                    x.max(1.0),
                    x.min(-0.5),
                    x.max(3.0).min(7.0),
                    x.abs().max(y.abs()),
                    (x * x + y * y).min(z.abs()),
                    $float::from_bits(x.to_bits() ^ (1 << ($bits::BITS - 1))),
                ];
            }

            #[kernel]
            pub fn call_functions(&mut self) {
                let (x, y, z) = (self.x, self.y, self.z);
                let (sine, cosine) = math::sin_cos(x);
                self.functions = [
                    math::sqrt(x),
                    math::rsqrt(x),
                    math::floor(x),
                    math::ceil(x),
                    math::trunc(x),
                    math::round(x),
                    math::round_ties_even(x),
                    math::fract(x),
                    math::mul_add(x, y, z),
                    math::rem(x, y),
                    math::rem(y, z),
                    math::rem_euclid(x, y),
                    math::div_euclid(x, y),
                    math::min(x, y),
                    math::max(x, y),
                    math::min(x, 0.0),
                    math::max(x, -0.0),
                    math::midpoint(x, y),
                    math::sin(x),
                    math::cos(x),
                    sine + cosine,
                    math::tan(x),
                    math::asin(x),
                    math::acos(x),
                    math::atan(x),
                    math::atan2(x, y),
                    math::exp(x),
                    math::exp2(x),
                    math::exp_m1(x),
                    math::ln(x),
                    math::ln_1p(x),
                    math::log(x, y),
                    math::log2(x),
                    math::log10(x),
                    math::powf(x, y),
                    math::powi(x, 3),
                    math::powi(x, -2),
                    math::powi(y, self.whole as i32),
                    math::sinh(x),
                    math::cosh(x),
                    math::tanh(x),
                    math::asinh(x),
                    math::acosh(x),
                    math::atanh(x),
                    math::cbrt(x),
                    math::hypot(x, y),
                    generic(x),
                    math::max(math::min(x, y), z),
                ];
            }

            #[kernel]
            pub fn convert(&mut self) {
                let (x, y, whole) = (self.x, self.y, self.whole);
                self.integers = [
                    x as i8 as u64,
                    (x as u8).into(),
                    x as i16 as u64,
                    (x as u16).into(),
                    x as i32 as u64,
                    (x as u32).into(),
                    x as i64 as u64,
                    (x as u64).into(),
                    x.total_cmp(&y) as i8 as u64,
                    x.partial_cmp(&y).map_or(9, |order| order as i8) as u64,
                    x.classify() as u64,
                    u64::from(x.is_subnormal()) | u64::from(x.is_normal()) << 1 | u64::from(x.is_finite()) << 2,
                    u64::from(x.is_nan()) | u64::from(x.is_infinite()) << 1 | u64::from(x == y) << 2,
                    u64::from(x < y) | u64::from(x <= y) << 1 | u64::from(x != y) << 2 | u64::from(x > y) << 3,
                ];
                self.others = [x as $other, -(y as $other)];
                self.converted = [
                    whole as $float,
                    whole as i32 as $float,
                    whole as u32 as $float,
                    whole as i16 as $float,
                    whole as u8 as $float,
                    whole as u64 as $float,
                    self.others[0] as $float,
                    $float::from(whole % 2 == 0),
                ];
            }
        }

        #[soa_world]
        pub struct $world {
            pub numbers: Objects<$class>,
        }
    };
}

numbers!(Single Singles f32 f64 u32);
numbers!(Double Doubles f64 f32 u64);
