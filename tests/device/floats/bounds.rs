//! The results of kernels on the device differ from the host's results by at most the bounds that `ikra_build::Floats`
//! states.

use ikra::prelude::*;

use crate::has_gpu;
use crate::model::*;

/// The allowed differences of the device, in units in the last place.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// For a division or square root of `f32`.
    pub single: u32,
    /// For a division or square root of `f64`.
    pub double: u32,
    /// For a function of `math`.
    pub functions: u32,
}

/// The test of one class.
macro_rules! bounds {
    ($test:ident, $class:ident, $world:ident, $float:ident, $bits:ident, $single_ulp:ident) => {
        #[test]
        fn $test() {
            if !has_gpu() {
                return;
            }
            // Each object meets all others.
            let count: u32 = if ikra_test_gpu::is_short() { 1000 } else { 3000 };
            let allowed = crate::BOUNDS;
            let (mut host, mut device) = ($world::new(), $world::new());
            host.construct(count as usize, $class::spawn, count).unwrap();
            device.on(ikra::Place::Gpu(0)).construct(count as usize, $class::spawn, count).unwrap();
            host.execute($class::compute, ());
            device.cuda_execute($class::compute, ()).unwrap();
            host.execute($class::add_up, ());
            device.cuda_execute($class::add_up, ()).unwrap();
            host.execute_pairs($class::meet, ());
            device.on(ikra::Place::Gpu(0)).execute_pairs($class::meet, ()).unwrap();
            host.execute($class::evaluate, ());
            device.cuda_execute($class::evaluate, ()).unwrap();

            // Units in the last place between numbers of one sign.
            let apart = |x: $float, y: $float| {
                let (x, y) = (x.to_bits() as $bits, y.to_bits() as $bits);
                x.abs_diff(y).min(1 << 30) as u32
            };
            let terms: f64 = host.numbers.iter().map(|row| f64::from(row.c).abs()).sum();
            let (mut worst, mut differ) = (0, 0);
            for (n, (host, device)) in host.numbers.iter().zip(&device.numbers).enumerate() {
                // Values that are only moved, or computed from integers, are equal.
                let moved = |row: &$class| (row.a.to_bits(), row.b.to_bits(), row.c.to_bits(), row.next, row.count);
                assert_eq!(moved(&host), moved(&device), "object {n}");
                // A product and a sum are rounded twice or once.
                let (twice, once) = (host.fused, host.a.mul_add(host.b, host.c));
                assert!(device.fused == twice || device.fused == once, "object {n}: {} {twice} {once}", device.fused);
                differ += u32::from(device.fused != twice);
                for (x, y) in
                    [(host.quotient, device.quotient), (host.root, device.root), (host.followed, device.followed)]
                {
                    assert!(apart(x, y) <= allowed.$single_ulp, "object {n}: {x} {y}");
                }
                // Sums of products: one rounding fewer per term.
                let bound = f64::from(count) * f64::from($float::EPSILON) * f64::from(host.a).abs() * terms;
                for (x, y) in [(host.sum, device.sum), (host.pairs, device.pairs)] {
                    assert!((f64::from(x) - f64::from(y)).abs() <= bound, "object {n}: {x} {y}, {bound}");
                }
                for (k, (x, y)) in host.functions.into_iter().zip(device.functions).enumerate() {
                    let apart = apart(x, y);
                    assert!(apart <= allowed.functions, "object {n}, function {k} of {} {}: {x} {y}", host.a, host.b);
                    worst = worst.max(apart);
                }
            }
            assert!(differ > 0, "no product and sum was contracted");
            println!("functions differ by {worst} ulp, {differ} of {count} products and sums differ");
            let (x, y) = (
                host.execute_and_reduce($class::product, (), Sum),
                device.cuda_execute_and_reduce($class::product, (), Sum).unwrap(),
            );
            let products: f64 = host.numbers.iter().map(|row| (f64::from(row.a) * f64::from(row.b)).abs()).sum();
            let bound = f64::from(count) * f64::from($float::EPSILON) * products;
            assert!((f64::from(x) - f64::from(y)).abs() <= bound, "{x} {y}");
        }
    };
}

bounds!(single, Single, Singles, f32, i32, single);
bounds!(single_rows, SingleRow, SingleRows, f32, i32, single);
bounds!(double, Double, Doubles, f64, i64, double);
bounds!(double_tiles, DoubleTile, DoubleTiles, f64, i64, double);
