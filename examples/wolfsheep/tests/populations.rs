//! The model beside sequential programs: the same populations with the same random numbers, and the same means as
//! animals that act one after another.
#![allow(missing_docs, reason = "a test, not a library")]

use std::ops::Range;

use ikra::Place;
use wolfsheep::{Counts, Field, InTurn, Order, Parameters, Twin};

/// Compares each step of a run.
fn equals_its_twin(parameters: &Parameters, steps: u32, place: Place) {
    let (mut field, mut twin) = (Field::new(parameters).unwrap(), Twin::new(parameters));
    for step in 0..steps {
        field.step(place).unwrap();
        twin.step();
        assert_eq!(field.counts(), twin.counts(), "step {step} of {parameters:?}");
    }
}

#[test]
fn a_sequential_program_has_the_same_populations() {
    for seed in 0..10 {
        equals_its_twin(&Parameters::small(seed), 100, Place::Host);
    }
    equals_its_twin(&Parameters::large(1), 50, Place::Host);
    let crowded = Parameters { size: [3, 2], sheep: 200, wolves: 150, regrowth: 1, ..Parameters::small(2) };
    equals_its_twin(&crowded, 50, Place::Host);
    let line = Parameters { size: [1, 7], sheep: 20, wolves: 3, ..Parameters::large(3) };
    equals_its_twin(&line, 50, Place::Host);
    let nothing = Parameters { sheep: 0, wolves: 0, ..Parameters::small(4) };
    equals_its_twin(&nothing, 20, Place::Host);
}

#[test]
fn threads_do_not_matter() {
    let parameters = Parameters { size: [300, 300], sheep: 20_000, wolves: 8_000, ..Parameters::large(5) };
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut field = Field::new(&parameters).unwrap();
            (0..10).for_each(|_| field.step(Place::Host).unwrap());
            field.world.wolves.iter().map(|wolf| (wolf.at, wolf.energy)).collect::<Vec<_>>()
        })
    };
    assert!(run(1) == run(4));
}

#[test]
fn host_and_gpu_agree() {
    if ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        equals_its_twin(&Parameters::small(1), 10, Place::Gpu(0));
    }
}

/// Sums over runs of a quantity and its square.
#[derive(Clone, Copy, Default)]
struct Sums {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }
    fn mean(self) -> f64 {
        self.sum / self.count
    }
    /// The square of the mean's standard error.
    fn error2(self) -> f64 {
        (self.squares / self.count - self.mean() * self.mean()) / (self.count - 1.0)
    }
}

/// The mean populations of a run, and those at its end.
fn means(steps: u32, mut step: impl FnMut() -> Counts) -> [f64; 6] {
    let (mut sums, mut last) = ([0.0; 3], [0.0; 3]);
    for _ in 0..steps {
        let Counts { sheep, wolves, grass } = step();
        last = [sheep, wolves, grass].map(|count| count as f64);
        (0..3).for_each(|n| sums[n] += last[n] / f64::from(steps));
    }
    [sums[0], sums[1], sums[2], last[0], last[1], last[2]]
}

/// The means over runs with different seeds: Ikra, all kinds in turn, kinds mixed.
fn over_seeds(parameters: fn(u64) -> Parameters, seeds: Range<u64>) -> [[Sums; 6]; 3] {
    let mut all = [[Sums::default(); 6]; 3];
    for seed in seeds {
        let parameters = parameters(seed);
        let mut field = Field::new(&parameters).unwrap();
        let mut turns = [Order::Kinds, Order::Mixed].map(|order| InTurn::new(&parameters, order));
        let found = means(100, || {
            field.step(Place::Host).unwrap();
            field.counts()
        });
        let [kinds, mixed] = &mut turns;
        let found = [found].into_iter().chain([kinds, mixed].map(|turn| {
            means(100, || {
                turn.step();
                turn.counts()
            })
        }));
        for (all, found) in all.iter_mut().zip(found) {
            all.iter_mut().zip(found).for_each(|(sums, value)| sums.add(value));
        }
    }
    all
}

#[test]
fn means_are_those_of_animals_that_act_one_after_another() {
    // WOLFSHEEP_SEEDS=100, in a release build, is the comparison of docs/notes/abm.md, which has the large size too.
    let wanted: Option<u64> = std::env::var("WOLFSHEEP_SEEDS").ok().map(|seeds| seeds.parse().unwrap());
    let is_long = std::env::var_os("IKRA_LONG").is_some_and(|value| !value.is_empty());
    // Another hundred seeds, to look closer.
    let first = std::env::var("WOLFSHEEP_FIRST_SEED").map_or(0, |first| first.parse().unwrap());
    let (seeds, errors) = match wanted {
        Some(seeds) => (seeds, 2.0),
        None if is_long => (100, 2.0),
        None => (5, 4.0),
    };
    let mut far = Vec::new();
    let sizes = [("small", Parameters::small as fn(u64) -> Parameters), ("large", Parameters::large)];
    for (size, parameters) in sizes.into_iter().take(if wanted.is_some() { 2 } else { 1 }) {
        let [ikra, kinds, mixed] = over_seeds(parameters, first..first + seeds);
        let names =
            ["mean sheep", "mean wolves", "mean grass", "sheep at the end", "wolves at the end", "grass at the end"];
        for (n, name) in names.into_iter().enumerate() {
            let apart = |other: Sums| (ikra[n].mean() - other.mean()) / (ikra[n].error2() + other.error2()).sqrt();
            println!(
                "| {size}, {name} | {:.1} ± {:.1} | {:.1} ± {:.1} | {:.2} | {:.1} ± {:.1} | {:.2} |",
                ikra[n].mean(),
                ikra[n].error2().sqrt(),
                kinds[n].mean(),
                kinds[n].error2().sqrt(),
                apart(kinds[n]),
                mixed[n].mean(),
                mixed[n].error2().sqrt(),
                apart(mixed[n])
            );
            // The means over a run. Those at its end are six more comparisons, of which one may well be further apart.
            if n < 3 && apart(kinds[n]).abs() >= errors {
                far.push(format!("{size}, {name}: {:.2} standard errors apart", apart(kinds[n])));
            }
        }
    }
    assert!(far.is_empty(), "{}", far.join("; "));
}
