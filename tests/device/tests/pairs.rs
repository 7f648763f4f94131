//! Kernels for pairs: the same bits as on the host, by one thread for each object and by several.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::rng::Random;
use ikra::{Error, Place, Selection, effects, prelude::*};
use ikra_device_tests::model::pairs::*;
use ikra_device_tests::{has_gpu, is_emulated, is_short};

const GPU: Place = Place::Gpu(0);

/// Specks, and lamps with values of all kinds.
fn dust(specks: u32, lamps: u32, seed: u32) -> Dust {
    let mut dust = Dust::new();
    let new = |n: u32| {
        let mut random = Random::new(u64::from(seed), n, 0);
        let mut number = || random.uniform_f32() - 0.5;
        let (pos, mass, acc) = ([number(), number(), number()], number(), [-0.0, number(), 0.0]);
        let (pull, light, sum) =
            (f64::from(number()), [-0.0, 0.0, 1e30], if n.is_multiple_of(3) { -0.0 } else { number() });
        Speck { pos, mass, acc, pull, light, other: 0.0, sum, many: [0.1; 16], more: [-0.0; 17], met: 0 }
    };
    dust.specks.extend((0..specks).map(new)).unwrap();
    let new = |n: u32| {
        let mut random = Random::new(u64::from(seed), n, 1);
        let number = random.uniform_f32() - 0.5;
        let value = match random.below(40) {
            0 => 0.0,
            1 => -0.0,
            2 => f32::MIN_POSITIVE * number,
            3 => 1e38,
            4 if seed % 2 == 1 => f32::NAN,
            5 if seed % 2 == 1 => f32::INFINITY,
            _ => number,
        };
        Lamp { at: 50.0 * f64::from(number) * f64::from(random.uniform_f32()), value }
    };
    dust.lamps.extend((0..lamps).map(new)).unwrap();
    dust
}

/// The bits of all fields that kernels change.
fn bits(dust: &mut Dust) -> Vec<Vec<u64>> {
    let of = |speck: Speck| {
        // A NaN has no bits that a program can rely on.
        let single = |x: f32| if x.is_nan() { u64::MAX } else { u64::from(x.to_bits()) };
        let double = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
        let singles = speck.acc.into_iter().chain([speck.sum]).chain(speck.more).map(single);
        let doubles = speck.light.into_iter().chain([speck.pull, speck.other]).chain(speck.many).map(double);
        singles.chain(doubles).chain([u64::from(speck.met)]).collect()
    };
    dust.specks.iter().map(of).collect()
}

/// Runs the kernels for all specks.
fn run(dust: &mut Dust, place: Place) -> Result<(), Error> {
    if let Some(key) = dust.lamps.links().next() {
        dust.on(place).execute_pairs(Speck::shine, key)?;
    }
    if dust.specks.len() < 3_000 {
        dust.on(place).execute_pairs(Speck::attract, 0.01)?;
    }
    dust.on(place).execute_pairs(Speck::gather, ())?;
    dust.on(place).execute_pairs(Speck::count, 0.1)?;
    dust.on(place).execute_pairs(Speck::spread, ())?;
    dust.on(place).execute_pairs(Speck::scatter, ())?;
    dust.on(place).execute_pairs(Speck::both, ())?;
    dust.on(place).execute_pairs(Speck::compare, ())
}

/// Compares the bits of worlds with so many specks and lamps, and this seed, after the same kernels on the host and on a GPU.
fn check(world: (u32, u32, u32), kernels: impl Fn(&mut Dust, Place) -> Result<(), Error>) {
    let (specks, lamps, seed) = world;
    let [host, gpu] = [Place::Host, GPU].map(|place| {
        let mut dust = dust(specks, lamps, seed);
        kernels(&mut dust, place).unwrap();
        bits(&mut dust)
    });
    assert!(host == gpu, "{specks} specks and {lamps} lamps");
}

/// Numbers of specks and lamps: with all numbers of threads for each speck, and rounds that end anywhere.
fn sizes() -> Vec<(u32, u32)> {
    let mut sizes =
        vec![(1, 0), (1, 1), (2, 3), (5, 31), (33, 33), (80, 127), (128, 128), (160, 129), (300, 130), (600, 257)];
    if !is_short() {
        sizes.extend([(700, 100), (1_300, 10), (2_600, 5), (40, 1_000)]);
    }
    if !is_emulated() {
        sizes.extend([(2_000, 300), (4_096, 130), (10_000, 60), (20_000, 50), (100_000, 20)]);
    }
    sizes
}

#[test]
fn the_same_bits_as_on_the_host() {
    if !has_gpu() {
        return;
    }
    for (seed, (specks, lamps)) in (0..).zip(sizes()) {
        check((specks, lamps, seed), run);
    }
}

#[test]
fn some_of_the_objects() {
    if !has_gpu() {
        return;
    }
    check((500, 150, 1), |dust, place| {
        let some: Selection<Speck> = dust.specks.links().filter(|speck| speck.index() % 3 == 1).collect();
        dust.on(place).over(&some).execute_pairs(Speck::attract, 0.1)?;
        dust.on(place).over(100..237).execute_pairs(Speck::gather, ())?;
        dust.on(place).over(490..).execute_pairs(Speck::spread, ())
    });
}

#[test]
fn in_loops_and_recordings() {
    if !has_gpu() {
        return;
    }
    check((150, 60, 2), |dust, place| {
        dust.on(place).repeat(5, |step| {
            step.execute_pairs(Speck::attract, 0.1)?;
            step.execute_pairs(Speck::gather, ())
        })
    });
}

/// Otherwise the tests above would compare the same loop.
#[test]
fn these_kernels_only_add() {
    let all = [effects(Speck::attract), effects(Speck::shine), effects(Speck::gather), effects(Speck::count)];
    assert!(all.iter().all(|effects| effects.only_adds()));
    assert!(effects(Speck::spread).only_adds() && !effects(Speck::compare).only_adds());
}
