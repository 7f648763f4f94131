//! Wolves, sheep and grass.

mod bevy;
mod krab;

use ikra::Place;
use wolfsheep::{Field, InTurn, Order, Parameters};

use crate::{Contestant, Run, Size};

pub const CONTESTANTS: &[Contestant] = &[
    Contestant { name: "Ikra, 1 thread", threads: 1, is_for_huge: true, new: ikra },
    Contestant { name: "Ikra, 2 threads", threads: 2, is_for_huge: true, new: ikra },
    Contestant { name: "by hand", threads: 1, is_for_huge: true, new: by_hand },
    Contestant { name: "bevy_ecs", threads: 1, is_for_huge: true, new: bevy },
    Contestant { name: "krabmaga", threads: 1, is_for_huge: false, new: krabmaga },
];

pub fn parameters(size: Size, seed: u64) -> Parameters {
    match size {
        Size::Small => Parameters::small(seed),
        Size::Large => Parameters::large(seed),
        Size::Huge => Parameters::huge(seed),
    }
}

fn ikra(size: Size, seed: u64) -> Run {
    let mut field = Field::new(&parameters(size, seed)).expect("there is memory");
    Box::new(move || field.step(Place::Host).expect("there is memory"))
}

fn by_hand(size: Size, seed: u64) -> Run {
    let mut field = InTurn::new(&parameters(size, seed), Order::Kinds);
    Box::new(move || field.step())
}

fn bevy(size: Size, seed: u64) -> Run {
    let mut field = bevy::Field::new(&parameters(size, seed));
    Box::new(move || field.step())
}

fn krabmaga(size: Size, seed: u64) -> Run {
    let mut field = krab::Simulation::new(&parameters(size, seed));
    Box::new(move || field.step())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: u32 = 100;

    /// Means over some seeds: the frameworks' programs follow the same rules. Animals do not act in random order in
    /// them, but in that of their storage.
    #[test]
    fn all_have_similar_populations() {
        let mut sums = [[0.0; 2]; 4];
        for seed in 0..20 {
            let parameters = parameters(Size::Large, seed);
            let mut ikra = Field::new(&parameters).unwrap();
            let mut hand = InTurn::new(&parameters, Order::Kinds);
            let mut bevy = bevy::Field::new(&parameters);
            let mut krab = krab::Simulation::new(&parameters);
            for _ in 0..STEPS {
                ikra.step(Place::Host).unwrap();
                hand.step();
                bevy.step();
                krab.step();
                let counts = [ikra.counts(), hand.counts()].map(|of| [of.sheep, of.wolves]);
                let counts = [counts[0], counts[1], bevy.counts(), krab.counts()];
                for (sums, counts) in sums.iter_mut().zip(counts) {
                    (0..2).for_each(|n| sums[n] += counts[n] as f64 / f64::from(20 * STEPS));
                }
            }
        }
        println!("{sums:?}");
        for other in &sums[1..] {
            (0..2).for_each(|n| assert!((other[n] / sums[0][n] - 1.0).abs() < 0.1, "{sums:?}"));
        }
    }
}
