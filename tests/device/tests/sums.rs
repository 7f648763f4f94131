//! Sums in fixed point: the same bits on host and device, in any order of threads.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::{Fixed, Place, prelude::*};
use ikra_device_tests::has_gpu;
use ikra_device_tests::model::sums::*;

const DROPS: u32 = 100_000;

/// Drops of very different sizes, including numbers outside of the fixed-point range, for three basins.
fn lake() -> Lake {
    let mut lake = Lake::new();
    let basin = Basin { mass: Fixed::ZERO, flow: Fixed::MAX, level: Fixed::STEP };
    let basins: Vec<_> = lake.basins.extend((0..3).map(|_| basin.clone())).unwrap().collect();
    let mut bits = 1_u32;
    let drops = (0..DROPS).map(|n| {
        bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let mass = match n % 1000 {
            0 => f32::NAN,
            1 => -0.0,
            2 => f32::MIN_POSITIVE,
            _ => (bits as f32 - 2e9) * 2.0_f32.powi(-((n % 60) as i32)),
        };
        let flow = match n % 5000 {
            0 => f64::INFINITY,
            1 => -1e300,
            _ => f64::from(bits) * 0.5,
        };
        Drop { mass, flow, basin: basins[n as usize % 3] }
    });
    lake.drops.extend(drops).unwrap();
    lake
}

fn bits(lake: &mut Lake) -> Vec<[i64; 3]> {
    lake.basins.iter().map(|basin| [basin.mass.to_bits(), basin.flow.to_bits(), basin.level.to_bits()]).collect()
}

/// The result of a single thread.
fn expected() -> Vec<[i64; 3]> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut lake = lake();
    pool.install(|| lake.execute(Drop::fall, ()));
    pool.install(|| lake.execute(Basin::settle, ()));
    bits(&mut lake)
}

#[test]
fn any_number_of_threads() {
    let expected = expected();
    for threads in [2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut lake = lake();
        pool.install(|| lake.execute(Drop::fall, ()));
        pool.install(|| lake.execute(Basin::settle, ()));
        assert_eq!(bits(&mut lake), expected);
    }
    let mut plain = [0_i64; 3];
    let lake = lake();
    for (n, drop) in lake.drops.iter().enumerate() {
        plain[n % 3] = plain[n % 3].wrapping_add(Fixed::<40>::from(drop.mass).to_bits());
    }
    assert_eq!(expected.iter().map(|basin| basin[0]).collect::<Vec<_>>(), plain);
}

#[test]
fn the_device() {
    if !has_gpu() {
        return;
    }
    let expected = expected();
    for _ in 0..5 {
        let mut lake = lake();
        lake.on(Place::Gpu(0)).execute(Drop::fall, ()).unwrap();
        lake.on(Place::Gpu(0)).execute(Basin::settle, ()).unwrap();
        assert_eq!(bits(&mut lake), expected);
    }
}
