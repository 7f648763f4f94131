//! Classes whose kernels compute with floating-point numbers.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::math;
use ikra::prelude::*;
use ikra::rng::Random;

/// A class with these kernels, in a given layout and precision.
macro_rules! numbers {
    ($class:ident, $world:ident, $float:ident, [$($option:tt)*]) => {
        #[soa_class($($option)*)]
        #[derive(Clone, Debug)]
        pub struct $class {
            pub a: $float,
            pub b: $float,
            pub c: $float,
            pub next: Link<$class>,
            pub count: u32,
            /// `a * b + c`.
            pub fused: $float,
            /// `a / b`, the root of `b`, and the sum of the quotients of the following objects.
            pub quotient: $float,
            pub root: $float,
            pub followed: $float,
            /// Sums over all.
            pub sum: $float,
            pub pairs: $float,
            pub functions: [$float; 20],
        }

        #[soa_methods]
        impl $class {
            #[kernel]
            pub fn spawn(id: u32, count: u32) -> Self {
                let mut random = Random::new(11, id, 0);
                let next = Link::from_id(random.below(count) + 1).unwrap_or(Link::from_id(1).expect("an id"));
                let mut number = || (random.uniform_f64() * 4.0 - 2.0) as $float;
                let (a, c) = (number(), number());
                let b = number().abs() + 0.01;
                Self {
                    a,
                    b,
                    c,
                    next,
                    count: 0,
                    fused: 0.0,
                    quotient: 0.0,
                    root: 0.0,
                    followed: 0.0,
                    sum: 0.0,
                    pairs: 0.0,
                    functions: [0.0; 20],
                }
            }

            #[kernel]
            pub fn compute(&mut self) {
                self.fused = self.a * self.b + self.c;
                self.quotient = self.a / self.b;
                self.root = self.b.sqrt();
                let next = self.next;
                self.followed = next.a() / next.b();
                self.count = self.count.wrapping_add(next.link().id()) ^ 5;
            }

            /// A loop over all objects.
            #[kernel]
            pub fn add_up(&mut self) {
                let mut sum = 0.0;
                for other in self.all::<$class>() {
                    sum += self.a * other.c();
                }
                self.sum = sum;
            }

            /// The same computation by pairs.
            #[kernel(pairs)]
            pub fn meet(&mut self, other: Ref<$class>) {
                self.pairs += self.a * other.c();
            }

            #[kernel]
            pub fn evaluate(&mut self) {
                let (x, y) = (self.a, self.b);
                self.functions = [
                    math::sin(x),
                    math::cos(x),
                    math::tan(x),
                    math::asin(x / 2.0),
                    math::acos(x / 2.0),
                    math::atan(x),
                    math::atan2(x, y),
                    math::exp(x),
                    math::exp2(x),
                    math::exp_m1(x),
                    math::ln(y),
                    math::ln_1p(y),
                    math::log2(y),
                    math::log10(y),
                    math::powf(y, x),
                    math::sinh(x),
                    math::cosh(x),
                    math::tanh(x),
                    math::cbrt(x),
                    math::hypot(x, y),
                ];
            }

            #[kernel(reduce(Sum))]
            pub fn product(&self) -> $float {
                self.a * self.b
            }
        }

        #[soa_world]
        pub struct $world {
            pub numbers: Objects<$class>,
        }
    };
}

numbers!(Single, Singles, f32, []);
numbers!(SingleRow, SingleRows, f32, [layout = "aos"]);
numbers!(Double, Doubles, f64, []);
numbers!(DoubleTile, DoubleTiles, f64, [layout = "tiles"]);
