//! Reductions over all objects, a range and a list, against a plain fold in the documented order.
#![allow(missing_docs, unreachable_pub, reason = "a test, not a library")]
#![forbid(unsafe_code)]

use std::collections::HashSet;
use std::ops::Range;

use ikra::{Place, prelude::*};
use proptest::prelude::*;

/// A reducer whose result reveals every change of the order.
#[derive(Clone, Copy)]
pub struct Mix;
impl Reducer<f64> for Mix {
    fn identity(&self) -> f64 {
        1.0
    }
    fn combine(&self, a: f64, b: f64) -> f64 {
        a * 0.75 + b * 0.5
    }
}

/// A result of more than 64 bytes uses fewer accumulators.
impl Reducer<[f64; 9]> for Mix {
    fn identity(&self) -> [f64; 9] {
        [1.0; 9]
    }
    fn combine(&self, a: [f64; 9], b: [f64; 9]) -> [f64; 9] {
        std::array::from_fn(|n| self.combine(a[n], b[n]))
    }
}

/// The order that `Reducer` documents.
fn fold<T: Copy, R: Reducer<T>>(values: &[T], heavy: bool, reducer: R) -> T {
    let chunk = match values.len() / 8192 {
        wanted if heavy || wanted < 256 => 256,
        wanted => wanted.next_power_of_two().min(8192),
    };
    let into = |values: &[T], accumulators: usize| {
        let mut sums = vec![reducer.identity(); accumulators];
        for (n, &value) in values.iter().enumerate() {
            sums[n % accumulators] = reducer.combine(sums[n % accumulators], value);
        }
        while sums.len() > 1 {
            let second = sums.split_off(sums.len() / 2);
            sums = sums.iter().zip(second).map(|(&a, b)| reducer.combine(a, b)).collect();
        }
        sums[0]
    };
    // Of many objects, 16 chunks take turns by 1024 objects.
    let turns = if chunk > 1024 && size_of::<T>() <= 64 { 16 } else { 1 };
    let of_turn = |span: &[T], turn: usize| -> Vec<T> {
        let groups = span.chunks(if turns == 1 { chunk } else { 1024 });
        groups.skip(turn).step_by(turns).flatten().copied().collect()
    };
    let spans = values.chunks(chunk * turns).flat_map(|span| (0..turns).map(move |turn| of_turn(span, turn)));
    let parts: Vec<T> = spans.filter(|chunk| !chunk.is_empty()).map(|chunk| into(&chunk, 32)).collect();
    match parts[..] {
        [] => reducer.identity(),
        [one] => one,
        _ => into(&parts, if size_of::<T>() <= 64 { 256 } else { 32 }),
    }
}

macro_rules! class {
    ($module:ident $world:ident, $class:ident $options:tt) => {
        #[soa_class $options]
        pub struct $class {
            pub value: f64,
            pub calls: u32,
        }

        #[soa_methods]
        impl $class {
            #[kernel(reduce(Sum, Mix), light)]
            pub fn light(&self) -> f64 {
                self.value
            }
            #[kernel(reduce(Mix), heavy)]
            pub fn heavy(&mut self) -> f64 {
                self.calls += 1;
                self.value
            }
            #[kernel(reduce(Mix), light, snapshot(value))]
            pub fn wide(&mut self) -> [f64; 9] {
                let before = self.value;
                self.value += 1.0;
                std::array::from_fn(|n| before + n as f64)
            }
        }

        #[soa_world]
        pub struct $world {
            pub objects: Objects<$class>,
        }

        mod $module {
            use super::*;

            /// On this many threads.
            pub fn run(threads: usize, values: &[f64], range: Range<usize>, list: &[usize]) {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut world = $world::new();
                let rows = values.iter().map(|&value| $class { value, calls: 0 });
                let links: Vec<_> = world.objects.extend(rows).unwrap().collect();
                // Results are combined in the order of the objects, not of the list.
                let mut in_order = list.to_vec();
                in_order.sort_unstable();
                let listed: Vec<f64> = in_order.iter().map(|&n| values[n]).collect();
                let list: Vec<_> = list.iter().map(|&n| links[n]).collect();
                pool.install(|| {
                    let light = |values: &[f64]| fold(values, false, Mix).to_bits();
                    assert_eq!(world.execute_and_reduce($class::light, (), Mix).to_bits(), light(values));
                    let part = world.over(range.clone()).execute_and_reduce($class::light, (), Mix);
                    assert_eq!(part.to_bits(), light(&values[range.clone()]));
                    let part = world.over(&list).execute_and_reduce($class::light, (), Mix);
                    assert_eq!(part.to_bits(), light(&listed));
                    let sum = world.over(range.clone()).execute_and_reduce($class::light, (), Sum);
                    assert_eq!(sum.to_bits(), fold(&values[range.clone()], false, Sum).to_bits());

                    let heavy = |values: &[f64]| fold(values, true, Mix).to_bits();
                    assert_eq!(world.execute_and_reduce($class::heavy, (), Mix).to_bits(), heavy(values));
                    let part = world.over(range.clone()).execute_and_reduce($class::heavy, (), Mix);
                    assert_eq!(part.to_bits(), heavy(&values[range.clone()]));
                    let part = world.over(&list).execute_and_reduce($class::heavy, (), Mix);
                    assert_eq!(part.to_bits(), heavy(&listed));

                    let nine = |values: &[f64]| {
                        let values: Vec<_> = values.iter().map(|v| std::array::from_fn(|n| v + n as f64)).collect();
                        fold(&values, false, Mix).map(f64::to_bits)
                    };
                    let part = world.over(range.clone()).execute_and_reduce($class::wide, (), Mix);
                    assert_eq!(part.map(f64::to_bits), nine(&values[range.clone()]));
                    let now: Vec<f64> = in_order.iter().map(|&n| world.get(links[n]).value()).collect();
                    let part = world.over(&list).execute_and_reduce($class::wide, (), Mix);
                    assert_eq!(part.map(f64::to_bits), nine(&now));
                });
                // Each object was called and changed exactly once per selection.
                let list: HashSet<_> = list.into_iter().collect();
                for (n, &link) in links.iter().enumerate() {
                    let (ranged, listed) = (range.contains(&n), list.contains(&link));
                    let object = world.get(link);
                    assert_eq!(object.calls(), 1 + u32::from(ranged) + u32::from(listed), "object {n}");
                    let mut expected = values[n];
                    for _ in 0..u32::from(ranged) + u32::from(listed) {
                        expected += 1.0;
                    }
                    assert_eq!(object.value().to_bits(), expected.to_bits(), "object {n}");
                }
            }
        }
    };
}
class!(in_soa SoaWorld, Soa());
class!(in_aos AosWorld, Aos(layout = "aos"));
class!(in_tiles TilesWorld, Tiled(layout = "tiles"));
class!(in_fixed FixedWorld, Fixed(capacity = 200_000));
class!(in_fixed_tiles FixedTilesWorld, FixedTiles(layout = "tiles", capacity = 200_000));

fn all_layouts(threads: usize, values: &[f64], range: Range<usize>, list: &[usize]) {
    in_soa::run(threads, values, range.clone(), list);
    in_aos::run(threads, values, range.clone(), list);
    in_tiles::run(threads, values, range.clone(), list);
    in_fixed::run(threads, values, range.clone(), list);
    in_fixed_tiles::run(threads, values, range, list);
}

fn values(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed | 1;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 200.0 - 100.0
        })
        .collect()
}

/// Numbers below `count`, each at most once, with runs of neighbours.
fn list(count: usize, seed: u64) -> Vec<usize> {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let (mut n, mut state) = (0, seed);
    while n < count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
        let len = (state >> 60) as usize + 1;
        if state >> 33 & 3 != 0 {
            blocks.push((n..(n + len).min(count)).collect());
        }
        n += len;
    }
    blocks.sort_by_key(|block| (block[0] as u64).wrapping_mul(seed | 1).rotate_left(23));
    blocks.concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parts_are_folded_in_the_documented_order(
        count in prop_oneof![0..70_usize, 200..600_usize, 4000..9000_usize],
        seed: u64,
        bounds: (u16, u16),
        threads in prop_oneof![Just(1_usize), Just(2), Just(8)],
    ) {
        let cut = |bound: u16| usize::from(bound) * (count + 1) / 65536;
        let (start, end) = (cut(bounds.0.min(bounds.1)), cut(bounds.0.max(bounds.1)));
        all_layouts(threads, &values(count, seed), start..end, &list(count, seed));
    }
}

#[test]
fn many_objects_on_any_number_of_threads() {
    let is_long = std::env::var_os("IKRA_LONG").is_some_and(|value| !value.is_empty());
    let count = if is_long { 100_000 } else { 20_000 };
    let values = values(count, 7);
    let list = list(values.len(), 3);
    for threads in [1, 2, 8] {
        all_layouts(threads, &values, 12_345..count - 1235, &list);
    }
}

/// Of so many objects, chunks take turns.
#[test]
fn chunks_that_take_turns() {
    let count = 8_420_000;
    let values = values(count, 7);
    macro_rules! check {
        ($world:ident, $class:ident, $threads:expr) => {{
            let pool = rayon::ThreadPoolBuilder::new().num_threads($threads).build().unwrap();
            let mut world = $world::new();
            world.objects.extend(values.iter().map(|&value| $class { value, calls: 0 })).unwrap();
            let list: Vec<_> = world.objects.links().filter(|link| link.index() % 777 < 776).collect();
            let listed: Vec<f64> = list.iter().map(|link| values[link.index()]).collect();
            let range = 1234..count - 12_345;
            pool.install(|| {
                let part = world.over(range.clone()).execute_and_reduce($class::light, (), Mix);
                assert_eq!(part.to_bits(), fold(&values[range], false, Mix).to_bits());
                let part = world.over(&list).execute_and_reduce($class::light, (), Mix);
                assert_eq!(part.to_bits(), fold(&listed, false, Mix).to_bits());
            });
        }};
    }
    check!(SoaWorld, Soa, 1);
    check!(TilesWorld, Tiled, 2);
}

#[test]
fn what_is_no_part_of_the_world() {
    let mut world = SoaWorld::new();
    let links: Vec<_> = world.objects.extend((0..3).map(|n| Soa { value: f64::from(n), calls: 0 })).unwrap().collect();
    assert_eq!(world.over(3..).execute_and_reduce(Soa::light, (), Sum), 0.0);
    assert_eq!(world.over(&[]).execute_and_reduce(Soa::light, (), Sum), 0.0);
    let twice = world.on(Place::Host).over(&[links[1], links[0], links[1]]).execute_and_reduce(Soa::light, (), Sum);
    assert!(matches!(twice, Err(ikra::Error::Duplicate { id: 2, .. })), "{twice:?}");
    let stranger = world.on(Place::Host).over(&[Link::from_id(4).unwrap()]).execute_and_reduce(Soa::light, (), Sum);
    assert!(matches!(stranger, Err(ikra::Error::NotInWorld { id: 4, .. })), "{stranger:?}");
    for wrong in [2..4, 4..4] {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            world.over(wrong).execute_and_reduce(Soa::light, (), Sum)
        }));
        let message = *result.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("out of range for 3 objects of class Soa"), "{message}");
    }
}

#[soa_class]
pub struct Tuple {
    pub n: u32,
    pub x: f64,
}

type Eight = (u8, f64, bool, [i64; 2], u16, (i32, f32), usize, i128);

#[soa_methods]
impl Tuple {
    #[kernel(reduce(Sum, Min, Max))]
    pub fn both(&self) -> (u32, f64) {
        (self.n, self.x)
    }
    #[kernel(reduce(All, Any))]
    pub fn flags(&self) -> (bool, (bool, [bool; 2])) {
        (self.n > 0, (self.n > 1, [self.n > 2, self.n < 4]))
    }
    #[kernel(reduce(Min, Max))]
    pub fn one(&self) -> (f64,) {
        (self.x,)
    }
    #[kernel(reduce(Both))]
    pub fn eight(&self) -> Eight {
        let n = self.n;
        (n as u8, self.x, n > 1, [i64::from(n), -1], n as u16, (-1, 0.5), n as usize, i128::from(n) << 70)
    }
    #[kernel]
    pub fn name(&mut self, prefix: &str) -> Option<String> {
        self.n += 1;
        self.n.is_multiple_of(2).then(|| format!("{prefix}{}", self.n))
    }
}

/// Combines the members of a tuple by different reducers.
#[derive(Clone, Copy)]
pub struct Both;
impl Reducer<Eight> for Both {
    fn identity(&self) -> Eight {
        let (a, b, d, e, f, g, h) = Sum.identity();
        (a, b, All.identity(), d, e, f, g, h)
    }
    fn combine(&self, a: Eight, b: Eight) -> Eight {
        let rest = |t: Eight| (t.0, t.1, t.3, t.4, t.5, t.6, t.7);
        let (s, t, v, w, x, y, z) = Sum.combine(rest(a), rest(b));
        (s, t, All.combine(a.2, b.2), v, w, x, y, z)
    }
}

#[soa_world]
pub struct Tuples {
    pub tuples: Objects<Tuple>,
}

#[test]
fn tuples_are_combined_member_by_member() {
    let mut world = Tuples::new();
    assert_eq!(world.execute_and_reduce(Tuple::both, (), Min), (u32::MAX, f64::INFINITY));
    world.tuples.extend([(3, -1.0), (1, 2.5), (2, 0.5)].map(|(n, x)| Tuple { n, x })).unwrap();
    assert_eq!(world.execute_and_reduce(Tuple::both, (), Sum), (6, 2.0));
    assert_eq!(world.execute_and_reduce(Tuple::both, (), Min), (1, -1.0));
    assert_eq!(world.execute_and_reduce(Tuple::both, (), Max), (3, 2.5));
    assert_eq!(world.execute_and_reduce(Tuple::flags, (), All), (true, (false, [false, true])));
    assert_eq!(world.execute_and_reduce(Tuple::flags, (), Any), (true, (true, [true, true])));
    assert_eq!(world.execute_and_reduce(Tuple::one, (), Max), (2.5,));
    assert_eq!(
        world.execute_and_reduce(Tuple::eight, (), Both),
        (6, 2.0, false, [6, -3], 6, (-3, 1.5), 6, 6_i128 << 70)
    );
    assert_eq!(world.over(1..).execute_and_reduce(Tuple::both, (), Sum), (3, 3.0));
}

#[test]
fn results_of_any_type_are_collected_in_order() {
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for count in [0, 1, 130, 20_000] {
            let mut world = Tuples::new();
            world.tuples.extend((0..count).map(|n| Tuple { n, x: 0.0 })).unwrap();
            let names = pool.install(|| world.execute_and_collect(Tuple::name, "n"));
            let expected: Vec<_> = (1..=count).map(|n| (n % 2 == 0).then(|| format!("n{n}"))).collect();
            assert_eq!(names, expected);
            assert!(world.tuples.iter().zip(1..).all(|(row, n)| row.n == n));
        }
    }
}

/// Results and fields of which a row or a block would not fit into the stack of a pool's thread.
mod large {
    use super::*;

    pub const LEN: usize = 512;

    #[soa_class]
    pub struct Car {
        pub km: u32,
        pub speeds: [f32; LEN],
    }

    #[soa_methods]
    impl Car {
        #[kernel]
        pub fn is_old(&self) -> bool {
            self.km.is_multiple_of(2)
        }
        #[kernel]
        pub fn is_fast(&self) -> bool {
            self.speeds[self.km as usize % LEN] > 0.0
        }
        #[kernel(reduce(Sum))]
        pub fn speed(&self) -> f32 {
            self.speeds[self.km as usize % LEN]
        }
        #[kernel(reduce(Sum))]
        pub fn histogram(&self) -> [f32; LEN] {
            let mut all = [0.0; LEN];
            all[self.km as usize % LEN] = 1.0;
            all
        }
        #[kernel(reduce(Mix))]
        pub fn mixed(&self) -> [f64; 9] {
            std::array::from_fn(|n| f64::from(self.km) + n as f64)
        }
    }

    #[soa_world]
    pub struct Town {
        pub cars: Objects<Car>,
    }

    #[test]
    fn results_and_fields_fit_into_a_stack() {
        let mut town = Town::new();
        town.cars.extend((0..1000).map(|km| Car { km, speeds: [1.0; LEN] })).unwrap();
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let all = town.execute_and_reduce(Car::histogram, (), Sum);
                assert!(all.iter().enumerate().all(|(km, &count)| count == if km < 488 { 2.0 } else { 1.0 }));
                let old = town.select(Car::is_old, ()).map(Car::histogram, ()).reduce(Sum);
                let of_old = |km: usize| {
                    if km % 2 == 1 {
                        0.0
                    } else if km < 488 {
                        2.0
                    } else {
                        1.0
                    }
                };
                assert!(old.iter().enumerate().all(|(km, &count)| count == of_old(km)));
                assert_eq!(town.select(Car::is_fast, ()).map(Car::speed, ()).reduce(Sum), 1000.0);
                assert_eq!(town.select(Car::is_fast, ()).map(Car::is_old, ()).collect().len(), 1000);
            });
        }
    }

    #[test]
    fn chains_combine_large_results_in_the_same_order() {
        for count in [1, 33, 256, 257, 1000] {
            let mut town = Town::new();
            town.cars.extend((0..count).map(|km| Car { km, speeds: [0.0; LEN] })).unwrap();
            let of = |km: u32| std::array::from_fn(|n| f64::from(km) + n as f64);
            let chosen: Vec<[f64; 9]> =
                (0..count).map(|km| if km % 2 == 0 { of(km) } else { Mix.identity() }).collect();
            assert_eq!(town.select(Car::is_old, ()).map(Car::mixed, ()).reduce(Mix), fold(&chosen, false, Mix));
            let all: Vec<[f64; 9]> = (0..count).map(of).collect();
            assert_eq!(town.execute_and_reduce(Car::mixed, (), Mix), fold(&all, false, Mix));
        }
    }
}
