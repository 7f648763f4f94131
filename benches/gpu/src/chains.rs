//! Chains of a filter and a reduction beside one hand-written kernel.

use ikra::Place;
use ikra::prelude::*;
use ikra_baselines::table::{beside, table};
use ikra_baselines::{Baselines, size, sizes};

use crate::model::cars::{Car, Town};

const GPU: Place = Place::Gpu(0);

/// Nanoseconds of the kernels of one call, and its result.
fn kernels<T>(
    town: &mut Town,
    mut chain: impl FnMut(&mut Town) -> Result<T, ikra::Error>,
) -> Result<(f64, T), ikra::Error> {
    let calls = size(50, 1);
    let mut result = chain(town)?;
    let time =
        |town: &mut Town| town.cuda().stats().kernels.iter().map(|kernel| kernel.time.as_secs_f64()).sum::<f64>();
    town.cuda().time_kernels(true)?;
    let before = time(town);
    for _ in 0..calls {
        result = chain(town)?;
    }
    let after = time(town);
    town.cuda().time_kernels(false)?;
    Ok(((after - before) * 1e9 / f64::from(calls), result))
}

pub fn chains(baselines: &Baselines) -> Result<(), ikra::Error> {
    table(&["chain", "cars", "Ikra", "CUDA", "ratio", "note"], 1);
    for n in sizes([1 << 20, 1 << 23, 1 << 26], 10_000) {
        let mut town = Town::new();
        town.on(GPU).construct(n, Car::spawn, ())?;
        for of_thousand in [10_u32, 500, 990] {
            let below = of_thousand as f32 / 1000.0;
            let note = format!("{of_thousand} of 1,000 chosen");
            let (ikra, sum) =
                kernels(&mut town, |town| town.on(GPU).select(Car::is_slow, below).map(Car::delay, ()).reduce(Sum))?;
            let cuda = baselines.call_n_k("chain_delay", n as u64, of_thousand);
            let theirs = baselines.call_0("last_checksum");
            assert!(theirs.is_nan() || (f64::from(sum) - theirs).abs() <= 1e-3 * theirs.abs(), "{sum} and {theirs}");
            beside("sum of delays, one kernel", n, ikra, cuda, &[&note]);
            let (ikra, load) =
                kernels(&mut town, |town| town.on(GPU).select(Car::is_slow, below).map(Car::load, ()).reduce(Sum))?;
            let cuda = baselines.call_n_k("chain_load", n as u64, of_thousand);
            let theirs = baselines.call_0("last_checksum");
            assert!(theirs.is_nan() || f64::from(load) == theirs, "{load} and {theirs}");
            beside("sum of people, one kernel", n, ikra, cuda, &[&note]);
            let apart = ikra_baselines::time(&mut town, |town| {
                town.on(GPU).select(Car::is_slow, below).map(Car::delay_apart, ()).reduce(Sum).map(drop)
            })?;
            let together = ikra_baselines::time(&mut town, |town| {
                town.on(GPU).select(Car::is_slow, below).map(Car::delay, ()).reduce(Sum).map(drop)
            })?;
            beside("sum of delays, whole call", n, together, f64::NAN, &[&note]);
            beside("… by a list", n, apart, f64::NAN, &[&note]);
        }
    }
    Ok(())
}
