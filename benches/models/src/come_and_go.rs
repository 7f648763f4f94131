//! The initial states of models whose objects come and go. Their results are compared with those of the models of cells,
//! in CUDA.

use ikra::prelude::*;
use ikra::rng::Random;
use ikra_baselines::sizes;
use rand_mt::Mt64;

use crate::model::{colony, shoal, wator};
use crate::setup::{BEST, Done, EIGHT, FOUR, SAME, START, row, torus};
use crate::{Hash, Model, Options, STEPS, Variant};

/// Who is in a cell of the sea at the start, and the energy.
pub(crate) fn start(id: u32) -> (wator::Kind, u32) {
    let mut random = Random::new(wator::SEED, id, START);
    match random.below(20) {
        0 => (wator::Kind::Shark, 1 + random.below(wator::SHARK_BREED)),
        1..=6 => (wator::Kind::Fish, random.below(wator::FISH_BREED)),
        _ => (wator::Kind::Water, 0),
    }
}

/// A hash of the animals of a sea. The energy of a cell without an animal does not count.
pub(crate) fn sea(kinds: &[u8], energies: &[u32]) -> u64 {
    let energies = kinds.iter().zip(energies).map(|(&kind, &energy)| if kind == 0 { 0 } else { energy });
    Hash::of(kinds.iter().map(|&kind| kind.into())).and(energies).0
}

/// Whether each square has a living cell at the start.
pub(crate) fn living(n: usize) -> Vec<bool> {
    let mut random = Mt64::new_unseeded();
    // A float in 0..1 out of 64 random bits; 2⁶⁴ is exact.
    (0..n).map(|_| random.next_u64() as f32 / 2_f32.powi(64) < 0.4).collect()
}

/// Predators and prey.
pub(crate) fn shoal(options: &Options) -> Done {
    for (width, height) in sizes([(1024, 1024), (2048, 2560)], (48, 48)) {
        if !options.wants("shoal", width > 1024) {
            continue;
        }
        let around = torus(width, height, FOUR);
        let n = (width * height) as usize;
        let (kinds, energies): (Vec<wator::Kind>, Vec<u32>) = (0..n as u32).map(start).unzip();
        let kinds: Vec<u8> = kinds.into_iter().map(|kind| kind as u8).collect();

        let mut world = shoal::Shoals::new();
        let clock = world.clocks.push(wator::Clock { step: 0 })?;
        let links: Vec<Link<shoal::Cell>> = world.cells.reserve(n)?.collect();
        for i in 0..n {
            let around = row(&links, &around, i);
            let cell = shoal::Cell { kind: kinds[i].into(), around, fish_claim: 0, shark_claim: 0 };
            world.cells.init(links[i], cell)?;
        }
        let (start_kinds, start_energies) = (kinds.clone(), energies.clone());
        options.measure(Model {
            world,
            size: format!("{width} × {height}"),
            batches: 49,
            reset: Box::new(move |world| {
                world.clocks.column_mut(wator::clock::step)[0] = 0;
                for (to, &kind) in world.cells.column_mut(shoal::cell::kind).iter_mut().zip(&kinds) {
                    *to = kind.into();
                }
                world.cells.column_mut(shoal::cell::fish_claim).fill(0);
                world.cells.column_mut(shoal::cell::shark_claim).fill(0);
                world.clear::<shoal::Fish>().expect("no object is linked to fish");
                world.clear::<shoal::Shark>().expect("no object is linked to sharks");
                let kinds = &kinds;
                let animals = |kind| (0..n).filter(move |&i| u32::from(kinds[i]) == kind);
                let fish = animals(shoal::FISH).map(|i| (links[i], energies[i]));
                let fish = fish.map(|(cell, energy)| shoal::Fish { cell, energy, target: None });
                let sharks = animals(shoal::SHARK).map(|i| (links[i], energies[i]));
                let sharks = sharks.map(|(cell, energy)| shoal::Shark { cell, energy, target: None });
                world.fish.extend(fish).expect("there is memory");
                world.sharks.extend(sharks).expect("there is memory");
            }),
            state: Box::new(|world| {
                let kinds: Vec<u8> =
                    world.cells.copy_column(shoal::cell::kind).iter().map(|&kind| kind as u8).collect();
                let mut energies = vec![0; kinds.len()];
                let fish = world.fish.column(shoal::fish::cell).iter().zip(world.fish.column(shoal::fish::energy));
                let sharks =
                    world.sharks.column(shoal::shark::cell).iter().zip(world.sharks.column(shoal::shark::energy));
                for (cell, &energy) in fish.chain(sharks) {
                    energies[cell.index()] = energy;
                }
                sea(&kinds, &energies)
            }),
            variants: vec![Variant {
                name: "predators and prey that come and go",
                batch: Box::new(move |sea| {
                    for k in 0..STEPS {
                        sea.execute(shoal::Fish::choose, (clock, k))?;
                        sea.execute(shoal::Fish::swim, ())?;
                        sea.execute(shoal::Shark::choose, (clock, k))?;
                        sea.execute(shoal::Shark::hunt, ())?;
                        sea.execute(shoal::Fish::flee, ())?;
                    }
                    sea.execute(wator::Clock::advance, STEPS)
                }),
                records: false,
                same: SAME,
                best: BEST,
            }],
            cuda: Box::new(move |baselines, which, batches| {
                let (mut kinds, mut energies) = (start_kinds.clone(), start_energies.clone());
                let time = baselines.wator(which.version, batches, &around, &mut kinds, &mut energies);
                (time, sea(&kinds, &energies))
            }),
        })?;
    }
    Ok(())
}

/// The game of life.
pub(crate) fn colony(options: &Options) -> Done {
    for (width, height) in sizes([(1714, 1647), (2048, 2048)], (64, 64)) {
        if !options.wants("colony", width > 2000) {
            continue;
        }
        let around = torus(width, height, EIGHT);
        let n = (width * height) as usize;
        let alive = living(n);
        let mut world = colony::Colony::new();
        let links: Vec<Link<colony::Square>> = world.squares.reserve(n)?.collect();
        for i in 0..n {
            let square = colony::Square { is_taken: alive[i], near: 0, around: row(&links, &around, i) };
            world.squares.init(links[i], square)?;
        }
        let state = |alive: &mut dyn Iterator<Item = u32>| Hash::of(alive).0;
        let start: Vec<u8> = alive.iter().map(|&alive| alive.into()).collect();
        options.measure(Model {
            world,
            size: format!("{width} × {height}"),
            batches: 29,
            reset: Box::new(move |world| {
                world.squares.column_mut(colony::square::is_taken).copy_from_slice(&alive);
                world.squares.column_mut(colony::square::near).fill(0);
                world.clear::<colony::Cell>().expect("no object is linked to cells");
                let squares = links.iter().zip(&alive).filter(|(_, alive)| **alive);
                world.cells.extend(squares.map(|(&square, _)| colony::Cell { square })).expect("there is memory");
            }),
            state: Box::new(move |world| {
                let squares = world.squares.column(colony::square::is_taken);
                assert_eq!(squares.iter().filter(|taken| **taken).count(), world.cells.len(), "a cell on each of them");
                state(&mut squares.iter().map(|&taken| taken.into()))
            }),
            variants: vec![Variant {
                name: "game of life whose cells come and go",
                batch: Box::new(|world| {
                    for _ in 0..STEPS {
                        world.execute(colony::Cell::tell, ())?;
                        world.execute(colony::Cell::age, ())?;
                        world.execute(colony::Square::fill, ())?;
                    }
                    Ok(())
                }),
                records: false,
                same: SAME,
                best: BEST,
            }],
            cuda: Box::new(move |baselines, which, batches| {
                let mut alive = start.clone();
                let time = baselines.life(which.version, batches, &around, &mut alive);
                (time, state(&mut alive.iter().map(|&alive| alive.into())))
            }),
        })?;
    }
    Ok(())
}
