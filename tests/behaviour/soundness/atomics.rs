//! The order of atomic operations: code that compiles has one result for any number of threads, in every executor.

use ikra::prelude::*;
use ikra::{AtomicOwner, Fixed};
use rayon::ThreadPoolBuilder;

#[derive(Clone, Debug, PartialEq)]
#[soa_class]
pub struct Place {
    #[atomic]
    pub sum: u32,
    #[atomic]
    pub difference: i64,
    #[atomic]
    pub least: i32,
    #[atomic]
    pub most: u64,
    #[atomic]
    pub bits: u32,
    #[atomic]
    pub mask: u64,
    #[atomic]
    pub any: bool,
    #[atomic]
    pub every: bool,
    #[atomic]
    pub low: f32,
    #[atomic]
    pub high: f64,
    #[atomic]
    pub total: Fixed<20>,
    #[atomic]
    pub first: Option<Link<Walker>>,
    #[atomic]
    pub last: Link<Walker>,
    #[atomic]
    #[inline_array]
    pub counts: [u32; 5],
    #[atomic]
    #[inline_array(1)]
    pub heights: InnerArray<i32>,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Walker {
    pub at: Link<Place>,
    pub next: Link<Walker>,
    pub weight: f32,
    pub seen: u32,
    #[atomic]
    pub steps: u32,
    #[atomic]
    pub rounded: f32,
    #[atomic]
    pub visits: u32,
}

#[soa_world]
pub struct Land {
    pub places: Objects<Place>,
    pub walkers: Objects<Walker>,
}

fn raise<P: AtomicOwner>(most: Atomic<'_, u64, P>, to: u64) {
    most.max(to);
}

/// Every commutative operation on another object, and every operation on its own.
macro_rules! everything {
    ($self:ident, $place:expr, $by:expr) => {{
        let (place, by) = ($place, $by);
        place.sum().add(by);
        place.sum().sub(2);
        place.difference().add(i64::from(by));
        place.least().min(-(by as i32));
        place.most().max(u64::from(by) << 33);
        place.bits().or(1 << (by % 32));
        place.mask().and(!(1 << (by % 64)));
        place.any().or(by % 7 == 0);
        place.every().and(by % 7 == 0);
        place.low().min($self.weight);
        place.high().max(f64::from(-$self.weight));
        place.total().add(Fixed::from($self.weight));
        place.first().claim($self.link());
        place.last().max($self.link());
        place.counts().get(by as usize % 5).add(1);
        for height in place.heights() {
            height.max(by as i32 % 1000);
        }
        // Rounded sums, and previous values, of its own object only.
        $self.rounded.add(0.1);
        $self.seen = $self.seen.wrapping_mul(3).wrapping_add($self.steps.fetch_add(by));
        $self.steps.store($self.steps.load() ^ $self.steps.swap(7));
    }};
}

#[soa_methods]
impl Walker {
    #[kernel(
        updates(
            add(sum, difference, total, counts),
            min(least, low, first),
            max(most, high, last, heights),
            or(bits, any),
            and(mask, every)
        ),
        stores(rounded, steps)
    )]
    pub fn step(&mut self, by: u32) {
        everything!(self, self.at, by ^ self.link().id());
    }

    #[kernel(
        pairs,
        updates(
            add(sum, difference, total, counts),
            min(least, low, first),
            max(most, high, last, heights),
            or(bits, any),
            and(mask, every)
        ),
        stores(rounded, steps)
    )]
    pub fn meet(&mut self, place: Ref<Place>, by: u32) {
        everything!(self, place, by ^ self.link().id());
    }

    /// The same operations as statements. They are found in the text, except those in `raise`.
    #[kernel(reduce(Sum), updates(max(most)))]
    pub fn visit(&self, by: u32) -> u32 {
        let place = self.at;
        let by = by ^ self.link().id();
        place.sum().add(by);
        place.difference().sub(i64::from(by));
        place.least().min(-(by as i32));
        place.bits().or(1 << (by % 32));
        place.mask().and(!(1 << (by % 64)));
        place.low().min(self.weight);
        place.high().max(f64::from(self.weight));
        let total = place.total();
        total.add(self.weight.into());
        total.sub(Fixed::STEP);
        place.first().claim(self.link());
        place.last().min(self.link());
        place.counts().iter().for_each(|count| {
            count.add(by);
        });
        raise(place.most(), u64::from(by) << 20);
        self.next.greet();
        self.own(by)
    }

    fn own(&self, by: u32) -> u32 {
        self.steps.fetch_add(by) ^ self.steps.load()
    }

    fn greet(&self) {
        self.visits.add(1);
    }

    /// Loads only, of any object, after the kernels that update.
    #[kernel]
    pub fn look(&mut self) {
        let place = self.at;
        self.seen ^= place.sum().load() ^ place.counts().iter().map(|count| count.load()).fold(0, |a, b| a ^ b);
        self.seen ^= self.next.steps().load() ^ self.steps.load();
        if place.first().load() == Some(self.link()) {
            self.seen += 1;
        }
    }
}

const PLACES: u32 = 7;
const WALKERS: u32 = 5_000;

fn land() -> Land {
    let mut land = Land::new();
    let last = Link::from_index(0).unwrap();
    let place = |n: u32| Place {
        sum: n,
        difference: 0,
        least: 0,
        most: 0,
        bits: 0,
        mask: u64::MAX,
        any: false,
        every: true,
        low: [0.0, f32::NAN, -0.0, f32::INFINITY, 1.0, -f32::NAN, 3.0][n as usize],
        high: -0.0,
        total: Fixed::ZERO,
        first: None,
        last,
        counts: [0; 5],
        heights: (0..n as i32).collect(),
    };
    land.places.extend((0..PLACES).map(place)).unwrap();
    let odd = [0.1, -0.0, 0.0, f32::NAN, -f32::NAN, f32::MIN_POSITIVE / 2.0, 1e9, -1e-9];
    land.walkers
        .extend((0..WALKERS).map(|n| Walker {
            at: Link::from_index((n * 13 % PLACES) as usize).unwrap(),
            next: Link::from_index((n * 31 % WALKERS) as usize).unwrap(),
            weight: odd[n as usize % 8] * (n % 11) as f32,
            seen: 0,
            steps: n,
            rounded: 0.0,
            visits: 0,
        }))
        .unwrap();
    land
}

/// The state after every executor, as text that shows all bits except those of NaN.
fn run(threads: usize) -> String {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut land = land();
        let links: Vec<Link<Walker>> = land.walkers.links().collect();
        let mut out = Vec::new();
        land.execute(Walker::step, 3);
        land.over(100..4_000).execute(Walker::step, 5);
        let each: Vec<_> = links.iter().rev().step_by(2).copied().collect();
        land.over(&each).execute(Walker::step, 9);
        land.execute_pairs(Walker::meet, 11);
        land.execute(Walker::look, ());
        out.push(format!("{}", land.execute_and_reduce(Walker::visit, 17, Sum)));
        land.execute(Walker::look, ());
        out.extend(
            land.places.iter().map(|place| format!("{place:?} {:x} {:x}", place.low.to_bits(), place.high.to_bits())),
        );
        out.extend(land.walkers.iter().map(|walker| format!("{walker:?} {:x}", walker.rounded.to_bits())));
        out.join("\n")
    })
}

#[test]
fn one_result_with_any_number_of_threads() {
    let one = run(1);
    for threads in [2, 8, 3, 8] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

/// A kernel on a single thread uses no atomic instructions. Every operation on every type gives the result of
/// sequential code, and returns the same previous value.
#[test]
fn alone_as_in_sequential_code() {
    macro_rules! operations {
        ($cell:expr, $n:expr) => {{
            let (cell, n) = ($cell, $n);
            let mut seen = 0_u64;
            let mut note = |value: u64| seen = seen.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(value);
            note(u64::from(cell.a().fetch_add(n ^ 0xffff_fff0)));
            note(u64::from(cell.a().fetch_max(n << 20)));
            note(u64::from(cell.a().swap(cell.a().load().wrapping_mul(n | 1))));
            note(u64::from(cell.a().compare_exchange(n, n + 1).unwrap_or_else(|other| other ^ 1)));
            cell.a().and(!(1 << (n % 32)));
            note(cell.b().fetch_sub(i64::from(n)) as u64);
            note(cell.b().fetch_min(-i64::from(n)) as u64);
            note(u64::from(cell.c().fetch_or(n % 3 == 0)));
            note(u64::from(cell.c().compare_exchange(true, false).is_ok()));
            cell.f().add(0.1 * n as f32);
            note(u64::from(cell.f().fetch_max(n as f32 / 7.0).to_bits()));
            // By their bits: NaN equals itself, and -0.0 differs from 0.0.
            note(u64::from(cell.g().compare_exchange(f64::NAN, -0.0).is_ok()));
            note(u64::from(cell.g().compare_exchange(0.0, 1.0).is_ok()));
            note(cell.g().swap(if n % 2 == 0 { f64::NAN } else { 0.0 }).to_bits());
            note(cell.h().fetch_add(Fixed::from(n as f32 / 3.0)).to_bits() as u64);
            note(cell.links().get(n as usize % 3).swap(Some(cell.link())).map_or(0, |link| u64::from(link.id())));
            note(u64::from(cell.links().get(0).compare_exchange(Some(cell.link()), None).is_ok()));
            cell.links().get(1).claim(cell.link());
            seen >> 12 // so that sums do not overflow
        }};
    }

    #[soa_class]
    #[derive(Clone, Debug)]
    pub struct Cell {
        #[atomic]
        pub a: u32,
        #[atomic]
        pub b: i64,
        #[atomic]
        pub c: bool,
        #[atomic]
        pub f: f32,
        #[atomic]
        pub g: f64,
        #[atomic]
        pub h: Fixed<20>,
        #[atomic]
        #[inline_array]
        pub links: [Option<Link<Cell>>; 3],
    }
    #[soa_class]
    pub struct User {
        pub cell: Link<Cell>,
        pub seen: u64,
    }
    #[soa_methods]
    impl User {
        // Run by one thread, in the order of ids.
        #[kernel(light, unordered(a, b, c, f, g, h, links))]
        pub fn use_it(&mut self) {
            self.seen = operations!(self.cell, self.link().id());
        }
        #[kernel(light, reduce(Sum), unordered(a, b, c, f, g, h, links))]
        pub fn sum_up(&self) -> u64 {
            operations!(self.cell, self.link().id())
        }
    }
    #[soa_world]
    pub struct Uses {
        pub cells: Objects<Cell>,
        pub users: Objects<User>,
    }
    const USERS: u32 = 1000;
    let uses = || {
        let mut uses = Uses::new();
        let cell = Cell { a: 1, b: -5, c: false, f: 0.5, g: f64::NAN, h: Fixed::ZERO, links: [None; 3] };
        let cells: Vec<_> = uses.cells.extend((0..5).map(|_| cell.clone())).unwrap().collect();
        let users = (0..USERS).map(|n| User { cell: cells[n as usize * 7 % 5], seen: 0 });
        uses.users.extend(users).unwrap();
        uses
    };
    let shown = |uses: &Uses| format!("{:?}", uses.cells.iter().collect::<Vec<_>>());
    let sequential = uses();
    let seen: Vec<u64> = sequential.all::<User>().map(|user| operations!(user.cell(), user.link().id())).collect();

    let mut alone = uses();
    alone.execute(User::use_it, ());
    assert_eq!((alone.users.column(user::seen), shown(&alone)), (&seen[..], shown(&sequential)));
    let mut alone = uses();
    let links: Vec<_> = alone.users.links().collect();
    alone.over(&links).execute(User::use_it, ());
    assert_eq!((alone.users.column(user::seen), shown(&alone)), (&seen[..], shown(&sequential)));
    let mut alone = uses();
    assert_eq!(alone.execute_and_collect(User::sum_up, ()), seen);
    assert_eq!(shown(&alone), shown(&sequential));
    let mut alone = uses();
    let one = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let sum = one.install(|| alone.execute_and_reduce(User::sum_up, (), Sum));
    assert_eq!((sum, shown(&alone)), (seen.iter().sum::<u64>(), shown(&sequential)));
}

/// The minimum and maximum are the same in every order, including NaN and zeros.
#[test]
fn extremes_of_floats() {
    #[soa_class]
    pub struct Range {
        #[atomic]
        pub low: f32,
        #[atomic]
        pub high: f32,
    }
    #[soa_world]
    pub struct Ranges {
        pub all: Objects<Range>,
    }
    let values =
        [0.0, -0.0, 1.5, -1.5, f32::NAN, -f32::NAN, f32::from_bits(0x7fc0_0001), f32::INFINITY, f32::NEG_INFINITY];
    for a in values {
        for b in values {
            let mut ranges = Ranges::new();
            let range = |value| Range { low: value, high: value };
            let links: Vec<_> = ranges.all.extend([range(a), range(b)]).unwrap().collect();
            for (link, other) in [(links[0], b), (links[1], a)] {
                ranges.get(link).low().min(other);
                ranges.get(link).high().max(other);
            }
            let bits = |n: usize| {
                let range = ranges.get(links[n]);
                (range.low().load().to_bits(), range.high().load().to_bits())
            };
            assert_eq!(bits(0), bits(1), "{a} {b}");
            let (low, high) = bits(0);
            let (low, high) = (f32::from_bits(low), f32::from_bits(high));
            if a.is_nan() && b.is_nan() {
                assert!(low.is_nan() && high.is_nan());
            } else {
                assert!(low == a.min(b) && high == a.max(b), "{a} {b}: {low} {high}");
            }
            if a == 0.0 && b == 0.0 {
                assert_eq!(low.is_sign_negative(), a.is_sign_negative() || b.is_sign_negative());
                assert_eq!(high.is_sign_negative(), a.is_sign_negative() && b.is_sign_negative());
            }
        }
    }
}

/// Conversions round to the nearest step, ties to even, and saturate at the range's limits.
#[test]
fn fixed_point() {
    type Eighths = Fixed<3>;
    for (value, steps) in [
        (0.0, 0),
        (-0.0, 0),
        (1.0, 8),
        (0.0625, 0),
        (0.1875, 2),
        (0.062_500_000_1, 1),
        (-0.0625, 0),
        (-0.1875, -2),
        (-0.3, -2),
        (1e300, i64::MAX),
        (-1e300, i64::MIN),
        (f64::INFINITY, i64::MAX),
        (f64::NEG_INFINITY, i64::MIN),
        (f64::NAN, 0),
        (f64::MIN_POSITIVE, 0),
        (5e-324, 0),
        (1_152_921_504_606_846_975.0, i64::MAX),
        (1_152_921_504_606_846_848.0, 9_223_372_036_854_774_784),
        (-1_152_921_504_606_846_976.0, i64::MIN),
    ] {
        assert_eq!(Eighths::from(value).to_bits(), steps, "{value}");
    }
    assert_eq!(f64::from(Eighths::from(-2.625)), -2.625);
    assert_eq!(f32::from(Eighths::from(-2.625_f32)), -2.625);
    assert_eq!(Fixed::<62>::from(1.0).to_bits(), 1 << 62);
    assert_eq!(f64::from(Fixed::<62>::STEP), 2.0_f64.powi(-62));
    assert_eq!(Fixed::<0>::from(2.5).to_bits(), 2);
    assert_eq!((Eighths::MAX + Eighths::STEP, -Eighths::from(1.5)), (Eighths::MIN, Eighths::from(-1.5)));
    // Compare with arithmetic in 128 bits.
    let mut state = 1_u64;
    for _ in 0..100_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let value = f64::from_bits((state & !(0x7ff << 52)) | (1023 - 50 + (state >> 40) % 80) << 52);
        let exact = value * 2.0_f64.powi(20);
        let nearest = if exact.abs() < 4.5e15 { exact.round_ties_even() } else { exact };
        assert_eq!(Fixed::<20>::from(value).to_bits(), nearest as i64, "{value}");
    }
}
