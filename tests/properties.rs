//! Every layout, addressing mode and capacity behaves like a plain `Vec` of rows, bit for bit, under
//! random sequences of operations.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Pair {
    pub small: u8,
    pub large: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(u16)]
pub enum Kind {
    A = 7,
    B = 300,
}

/// What a row holds, as bits, so that NaN can be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bits(u8, bool, u16, u32, u64, [u32; 3], u128, Option<usize>, (u8, u64), (u8, u64), Kind, u32, Option<usize>);

/// The class under one layout, and the test of it.
macro_rules! layout {
    ($module:ident, $options:tt) => {
        mod $module {
            use super::*;

            #[soa_class $options]
            #[derive(Clone, Debug)]
            pub struct Thing {
                pub byte: u8,
                pub flag: bool,
                pub short: u16,
                pub single: f32,
                pub double: f64,
                pub vector: [f32; 3],
                pub long: u128,
                pub next: Option<Link<Thing>>,
                pub pair: Pair,
                #[soa(flatten)]
                pub flat: Pair,
                pub kind: Kind,
                #[atomic]
                pub hits: u32,
                #[atomic]
                pub holder: Option<Link<Thing>>,
            }

            #[soa_methods]
            impl Thing {
                #[kernel]
                pub fn change(&mut self, by: u8) {
                    self.byte = self.byte.wrapping_add(by);
                    self.single *= 1.5;
                    self.vector[1] += f32::from(by);
                    self.flat.large -= 1.0;
                    if self.flag {
                        self.long = self.long.wrapping_mul(3);
                        return;
                    }
                    self.kind = Kind::B;
                }

                #[kernel(snapshot(double, pair))]
                pub fn look(&mut self) {
                    if let Some(next) = self.next {
                        self.double += next.double();
                        self.pair.small = self.pair.small.wrapping_add(next.pair().small);
                    }
                }

                #[kernel]
                pub fn hit(&mut self) {
                    if let Some(next) = self.next {
                        next.hits().fetch_add(u32::from(self.byte));
                        next.holder().claim(self.link());
                    }
                }

                #[kernel(pairs)]
                pub fn meet(&mut self, other: Ref<Thing>) {
                    self.single += other.vector()[0];
                    self.short = self.short.wrapping_mul(31).wrapping_add(other.short_of(1));
                }

                fn short_of(&self, n: usize) -> u16 {
                    u16::from(self.byte) + n as u16
                }

                #[kernel(reduce(Sum, Max))]
                pub fn weight(&self) -> u64 {
                    u64::from(self.byte) + u64::from(self.hits.load())
                }

                #[kernel]
                pub fn spawn(id: u32, seed: u8) -> Self {
                    row(&super::seeded(id as usize, seed))
                }
            }

            #[soa_world]
            pub struct World {
                pub things: Objects<Thing>,
            }

            fn row(bits: &Bits) -> Thing {
                Thing {
                    byte: bits.0,
                    flag: bits.1,
                    short: bits.2,
                    single: f32::from_bits(bits.3),
                    double: f64::from_bits(bits.4),
                    vector: bits.5.map(f32::from_bits),
                    long: bits.6,
                    next: bits.7.and_then(Link::from_index),
                    pair: Pair { small: bits.8.0, large: f64::from_bits(bits.8.1) },
                    flat: Pair { small: bits.9.0, large: f64::from_bits(bits.9.1) },
                    kind: bits.10,
                    hits: bits.11,
                    holder: bits.12.and_then(Link::from_index),
                }
            }

            fn bits(row: &Thing) -> Bits {
                Bits(
                    row.byte,
                    row.flag,
                    row.short,
                    row.single.to_bits(),
                    row.double.to_bits(),
                    row.vector.map(f32::to_bits),
                    row.long,
                    row.next.map(Link::index),
                    (row.pair.small, row.pair.large.to_bits()),
                    (row.flat.small, row.flat.large.to_bits()),
                    row.kind,
                    row.hits,
                    row.holder.map(Link::index),
                )
            }

            fn apply(world: &mut World, step: &Step) -> Result<(), ikra::Error> {
                use ikra::World as _;
                let len = world.things.len();
                let link = |n: usize| Link::<Thing>::from_index(n % len.max(1)).unwrap();
                match step {
                    Step::Push(seed) => _ = world.things.push(row(&super::seeded(len, *seed)))?,
                    Step::Extend(n, seed) => {
                        _ = world.things.extend((0..*n).map(|k| row(&super::seeded(len + k, *seed))))?;
                    }
                    Step::Reserve(n, seed) => {
                        // Initialised from the last to the first.
                        for link in world.things.reserve(*n)?.rev() {
                            world.things.init(link, row(&super::seeded(link.index(), *seed)))?;
                        }
                    }
                    Step::Construct(n, seed) => _ = world.construct(*n, Thing::spawn, *seed)?,
                    _ if len == 0 => {}
                    Step::Write(n, seed) => world.things.write(link(*n), row(&super::seeded(*n % len, *seed)))?,
                    Step::GetMut(n, by) => {
                        let mut thing = world.get_mut(link(*n));
                        thing.change(*by);
                        thing.hits.store(u32::from(*by));
                    }
                    Step::Execute(by) => world.execute(Thing::change, *by),
                    Step::Range(a, b, by) => {
                        let (a, b) = (a % len, b % len);
                        world.execute_range(Thing::change, a.min(b)..a.max(b), *by);
                    }
                    Step::Each(ns, by) => {
                        let mut links: Vec<_> = ns.iter().map(|n| link(*n)).collect();
                        let mut seen = std::collections::HashSet::new();
                        links.retain(|link| seen.insert(*link));
                        world.execute_each(Thing::change, &links, *by)?;
                    }
                    Step::Look => world.execute(Thing::look, ()),
                    Step::LookRange(a, b) => {
                        let (a, b) = (a % len, b % len);
                        world.execute_range(Thing::look, a.min(b)..=a.max(b), ());
                    }
                    Step::Hit => world.execute(Thing::hit, ()),
                    Step::Meet => world.execute_pairs(Thing::meet, ()),
                }
                Ok(())
            }

            fn check_addresses(world: &World) {
                let things = &world.things;
                for link in things.links() {
                    let bits = link.to_bits(things).unwrap();
                    assert_ne!(bits, 0);
                    assert_eq!(Link::from_bits(bits, things).unwrap(), link);
                    if link.index() > 0 {
                        let before = Link::<Thing>::from_index(link.index() - 1).unwrap().to_bits(things).unwrap();
                        assert!(bits > before);
                    }
                }
                assert!(Link::<Thing>::from_bits(0, things).is_err());
                assert!(Link::<Thing>::from_bits(u64::MAX, things).is_err());
                let layout = things.layout();
                let mut spans: Vec<(usize, usize)> = Vec::new();
                for column in &layout.columns {
                    if let Some(offset) = column.offset {
                        let per = match layout.kind {
                            ikra::LayoutKind::Soa => layout.fixed_capacity.unwrap() as usize,
                            ikra::LayoutKind::Aos => 1,
                            ikra::LayoutKind::Tiles(tile) => tile,
                        };
                        assert_eq!(offset % column.size.min(16).next_power_of_two().min(8), 0);
                        spans.push((offset, offset + per * column.size));
                    }
                }
                spans.sort_unstable();
                assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "columns overlap");
            }

            proptest! {
                #![proptest_config(ProptestConfig { cases: super::cases(), ..ProptestConfig::default() })]
                #[test]
                fn behaves_like_a_vec(steps in prop::collection::vec(super::step(), 1..25)) {
                    let mut world = World::new();
                    let mut model: Vec<Bits> = Vec::new();
                    for step in &steps {
                        apply(&mut world, step).unwrap();
                        super::model(&mut model, step);
                        let found: Vec<Bits> = world.things.iter().map(|row| bits(&row)).collect();
                        prop_assert_eq!(&found, &model, "after {:?}", step);
                    }
                    use ikra::World as _;
                    let weights = model.iter().map(|bits| u64::from(bits.0) + u64::from(bits.11));
                    prop_assert_eq!(world.execute_and_reduce(Thing::weight, (), Sum), weights.clone().sum::<u64>());
                    prop_assert_eq!(world.execute_and_reduce(Thing::weight, (), Max), weights.max().unwrap_or(0));
                    let doubles = world.things.copy_column(thing::double);
                    prop_assert!(doubles.iter().map(|x| x.to_bits()).eq(model.iter().map(|bits| bits.4)));
                    for (n, thing) in world.all::<Thing>().enumerate() {
                        prop_assert_eq!(thing.vector().map(f32::to_bits), model[n].5);
                        prop_assert_eq!(thing.flat().large.to_bits(), model[n].9.1);
                        prop_assert_eq!(thing.hits().load(), model[n].11);
                    }
                    check_addresses(&world);
                }
            }
        }
    };
}

layout!(soa_zero, (layout = "soa"));
layout!(soa_storage, (layout = "soa", addressing = "storage"));
layout!(soa_first, (layout = "soa", addressing = "first_field"));
layout!(soa_fixed_zero, (layout = "soa", capacity = 2000));
layout!(soa_fixed_storage, (layout = "soa", capacity = 2000, addressing = "storage"));
layout!(soa_fixed_first, (layout = "soa", capacity = 2000, addressing = "first_field"));
layout!(aos_zero, (layout = "aos"));
layout!(aos_storage, (layout = "aos", addressing = "storage"));
layout!(aos_first, (layout = "aos", addressing = "first_field"));
layout!(aos_fixed_first, (layout = "aos", capacity = 2000, addressing = "first_field"));
layout!(tiles_zero, (layout = "tiles"));
layout!(tiles_storage, (layout = "tiles", addressing = "storage"));
layout!(tiles_first, (layout = "tiles", addressing = "first_field"));
layout!(tiles_128_first, (layout = "tiles", tile = 128, addressing = "first_field"));
layout!(tiles_fixed_first, (layout = "tiles", capacity = 2000, addressing = "first_field"));

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(24)
}

/// One operation.
#[derive(Clone, Debug)]
pub enum Step {
    Push(u8),
    Extend(usize, u8),
    Reserve(usize, u8),
    Construct(usize, u8),
    Write(usize, u8),
    GetMut(usize, u8),
    Execute(u8),
    Range(usize, usize, u8),
    Each(Vec<usize>, u8),
    Look,
    LookRange(usize, usize),
    Hit,
    Meet,
}

fn step() -> impl Strategy<Value = Step> {
    let n = 0usize..10_000;
    prop_oneof![
        any::<u8>().prop_map(Step::Push),
        (0usize..70, any::<u8>()).prop_map(|(n, seed)| Step::Extend(n, seed)),
        (0usize..70, any::<u8>()).prop_map(|(n, seed)| Step::Reserve(n, seed)),
        (0usize..70, any::<u8>()).prop_map(|(n, seed)| Step::Construct(n, seed)),
        (n.clone(), any::<u8>()).prop_map(|(n, seed)| Step::Write(n, seed)),
        (n.clone(), any::<u8>()).prop_map(|(n, by)| Step::GetMut(n, by)),
        any::<u8>().prop_map(Step::Execute),
        (n.clone(), n.clone(), any::<u8>()).prop_map(|(a, b, by)| Step::Range(a, b, by)),
        (prop::collection::vec(n.clone(), 0..40), any::<u8>()).prop_map(|(ns, by)| Step::Each(ns, by)),
        Just(Step::Look),
        (n.clone(), n).prop_map(|(a, b)| Step::LookRange(a, b)),
        Just(Step::Hit),
        Just(Step::Meet),
    ]
}

/// A row that depends on its index and a seed: any bits, NaN and infinities included.
fn seeded(index: usize, seed: u8) -> Bits {
    let mut state = (index as u64) << 8 | u64::from(seed);
    let mut next = || {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    Bits(
        next() as u8,
        next() % 2 == 0,
        next() as u16,
        // Quiet: what arithmetic on a signalling NaN gives is not fixed.
        quiet(next() as u32),
        quiet64(next()),
        [quiet(next() as u32), quiet(next() as u32), quiet(next() as u32)],
        u128::from(next()) << 64 | u128::from(next()),
        // Refers to itself or an object before.
        (next() % 3 > 0).then(|| next() as usize % (index + 1)),
        (next() as u8, quiet64(next())),
        (next() as u8, quiet64(next())),
        if next() % 2 == 0 { Kind::A } else { Kind::B },
        next() as u32,
        None,
    )
}

/// NaN payloads go through storage unchanged, but not through arithmetic of several operands: numbers are
/// finite here, but for a few that are one certain NaN.
fn quiet(bits: u32) -> u32 {
    if bits.is_multiple_of(50) { f32::NAN.to_bits() } else { ((bits % 20_001) as f32 - 10_000.0).to_bits() }
}

fn quiet64(bits: u64) -> u64 {
    if bits.is_multiple_of(50) { f64::NAN.to_bits() } else { ((bits % 20_001) as f64 - 10_000.0).to_bits() }
}

fn change(row: &mut Bits, by: u8) {
    row.0 = row.0.wrapping_add(by);
    row.3 = (f32::from_bits(row.3) * 1.5).to_bits();
    row.5[1] = (f32::from_bits(row.5[1]) + f32::from(by)).to_bits();
    row.9.1 = (f64::from_bits(row.9.1) - 1.0).to_bits();
    if row.1 {
        row.6 = row.6.wrapping_mul(3);
        return;
    }
    row.10 = Kind::B;
}

/// The same operation on the model.
fn model(rows: &mut Vec<Bits>, step: &Step) {
    let len = rows.len();
    let mut look = |range: std::ops::Range<usize>| {
        let before = rows.clone();
        for row in &mut rows[range] {
            if let Some(next) = row.7 {
                row.4 = (f64::from_bits(row.4) + f64::from_bits(before[next].4)).to_bits();
                row.8.0 = row.8.0.wrapping_add(before[next].8.0);
            }
        }
    };
    match step {
        Step::Push(seed) => rows.push(seeded(len, *seed)),
        Step::Extend(n, seed) | Step::Reserve(n, seed) | Step::Construct(n, seed) => {
            rows.extend((0..*n).map(|k| seeded(len + k, *seed)));
        }
        _ if len == 0 => {}
        Step::Write(n, seed) => {
            let row = seeded(*n % len, *seed);
            rows[n % len] = row;
        }
        Step::GetMut(n, by) => {
            change(&mut rows[n % len], *by);
            rows[n % len].11 = u32::from(*by);
        }
        Step::Execute(by) => rows.iter_mut().for_each(|row| change(row, *by)),
        Step::Range(a, b, by) => {
            let (a, b) = (a % len, b % len);
            rows[a.min(b)..a.max(b)].iter_mut().for_each(|row| change(row, *by));
        }
        Step::Each(ns, by) => {
            let chosen: std::collections::BTreeSet<usize> = ns.iter().map(|n| n % len).collect();
            chosen.into_iter().for_each(|n| change(&mut rows[n], *by));
        }
        Step::Look => look(0..len),
        Step::LookRange(a, b) => {
            let (a, b) = (a % len, b % len);
            look(a.min(b)..a.max(b) + 1);
        }
        Step::Hit => {
            for n in 0..len {
                let (byte, next) = (rows[n].0, rows[n].7);
                if let Some(next) = next {
                    rows[next].11 = rows[next].11.wrapping_add(u32::from(byte));
                    rows[next].12 = Some(rows[next].12.map_or(n, |holder| holder.min(n)));
                }
            }
        }
        Step::Meet => {
            let before = rows.clone();
            for row in rows {
                for other in &before {
                    row.3 = (f32::from_bits(row.3) + f32::from_bits(other.5[0])).to_bits();
                    row.2 = row.2.wrapping_mul(31).wrapping_add(u16::from(other.0) + 1);
                }
            }
        }
    }
}
