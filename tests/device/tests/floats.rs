//! Every operation and method of floating-point numbers gives the same bits on host and device. The inputs are likely
//! to reveal differences: zeros, subnormal numbers, halves, the largest integers with a fraction, the largest numbers,
//! infinity, NaN.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra_device_tests::has_gpu;
use ikra_device_tests::model::floats::*;

const INTEGERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    -2,
    3,
    127,
    128,
    -128,
    255,
    256,
    32_767,
    65_536,
    8_388_607,
    16_777_217,
    -16_777_219,
    33_554_435,
    2_147_483_647,
    2_147_483_648,
    -2_147_483_648,
    4_294_967_295,
    9_007_199_254_740_993,
    -9_007_199_254_740_995,
    i64::MAX,
    i64::MIN,
    1 << 53,
    (1 << 62) + 1,
];

/// The test of one type.
macro_rules! same {
    ($test:ident $class:ident $world:ident $float:ident) => {
        #[test]
        fn $test() {
            if !has_gpu() {
                return;
            }
            let digits = $float::MANTISSA_DIGITS as i32;
            // The smallest number whose successors are whole.
            let whole = (2.0 as $float).powi(digits - 1);
            let mut edges = vec![
                0.0,
                $float::from_bits(1),
                $float::from_bits(2),
                $float::MIN_POSITIVE,
                $float::MIN_POSITIVE.next_down(),
                $float::MIN_POSITIVE * 1.5,
                $float::EPSILON,
                1e-30,
                0.1,
                0.25,
                (0.5 as $float).next_down(),
                0.5,
                (0.5 as $float).next_up(),
                0.7,
                (1.0 as $float).next_down(),
                1.0,
                (1.0 as $float).next_up(),
                1.5,
                2.0,
                2.5,
                3.0,
                3.5,
                3.7,
                7.0,
                89.0,
                127.5,
                128.0,
                255.5,
                32_767.5,
                65_535.5,
                1e5,
                16_777_216.0,
                2_147_483_647.0,
                4_294_967_296.0,
                1e8,
                1e10,
                9.3e18,
                1.9e19,
                3.2e38,
                whole - 1.0,
                whole - 0.5,
                whole,
                whole + 1.0,
                whole / 2.0 - 0.25,
                whole / 2.0 + 0.5,
                whole / 4.0 + 0.5,
                whole * 2.0,
                whole * 2.0 - 1.0,
                $float::MAX,
                $float::MAX / 2.0,
                $float::MAX.next_down(),
                $float::INFINITY,
                $float::NAN,
                std::f64::consts::PI as $float,
                std::f64::consts::FRAC_PI_2 as $float,
                std::f64::consts::E as $float,
            ];
            edges.extend(edges.clone().into_iter().map(|x| -x));
            let count = edges.len();
            let row = |n: usize| $class {
                x: edges[n % count],
                y: edges[n / count],
                z: edges[(n * 7 + n / 13) % count],
                whole: INTEGERS[n % INTEGERS.len()],
                operators: [0.0; 12],
                methods: [0.0; 32],
                functions: [0.0; 48],
                integers: [0; 14],
                others: [0.0; 2],
                converted: [0.0; 8],
            };
            let (mut host, mut device) = ($world::new(), $world::new());
            for sim in [&mut host, &mut device] {
                sim.numbers.extend((0..count * count).map(row)).unwrap();
            }
            host.execute($class::operate, ());
            host.execute($class::call_methods, ());
            host.execute($class::call_functions, ());
            host.execute($class::convert, ());
            device.cuda_execute($class::operate, ()).unwrap();
            device.cuda_execute($class::call_methods, ()).unwrap();
            device.cuda_execute($class::call_functions, ()).unwrap();
            device.cuda_execute($class::convert, ()).unwrap();
            let mut wrong = Vec::new();
            for (a, b) in host.numbers.iter().zip(&device.numbers) {
                let mut compare = |kernel: &str, a_bits: Vec<u128>, b_bits: Vec<u128>| {
                    for (n, (a_bits, b_bits)) in a_bits.into_iter().zip(b_bits).enumerate() {
                        if a_bits != b_bits {
                            wrong.push(format!(
                                "{kernel}[{n}] of {:e}, {:e}, {:e}, {}: host {a_bits:x}, device {b_bits:x}",
                                a.x, a.y, a.z, a.whole
                            ));
                        }
                    }
                };
                let bits = |x: &$float| u128::from(if x.is_nan() { $float::NAN } else { *x }.to_bits());
                compare("operators", a.operators.iter().map(bits).collect(), b.operators.iter().map(bits).collect());
                compare("methods", a.methods.iter().map(bits).collect(), b.methods.iter().map(bits).collect());
                compare("functions", a.functions.iter().map(bits).collect(), b.functions.iter().map(bits).collect());
                compare("integers", a.integers.map(u128::from).to_vec(), b.integers.map(u128::from).to_vec());
                compare("converted", a.converted.iter().map(bits).collect(), b.converted.iter().map(bits).collect());
                let other =
                    |row: &$class| row.others.map(|x| if x.is_nan() { 0 } else { f64::from(x).to_bits().into() });
                compare("others", other(&a).to_vec(), other(&b).to_vec());
            }
            assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
        }
    };
}

same!(single_precision Single Singles f32);
same!(double_precision Double Doubles f64);
