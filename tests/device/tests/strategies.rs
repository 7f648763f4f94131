//! All strategies of `#[soa_dispatch]` find the same classes, on host and device.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::Place;
use ikra::prelude::*;
use ikra_device_tests::has_gpu;
use ikra_device_tests::model::strategies::*;

/// A pseudo-random number.
fn mixed(n: usize) -> usize {
    let mut x = n as u32;
    x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    (x ^ x >> 16) as usize
}

/// One object, as links of each strategy.
#[derive(Clone, Copy)]
struct Target {
    bits: ByBitsLink,
    range: InRangesLink,
    tag: ByTagLink,
    table: ByTableLink,
}

impl<C> From<Link<C>> for Target
where
    ByBitsLink: From<Link<C>>,
    InRangesLink: From<Link<C>>,
    ByTagLink: From<Link<C>>,
    ByTableLink: From<Link<C>>,
{
    fn from(link: Link<C>) -> Self {
        Self { bits: link.into(), range: link.into(), tag: link.into(), table: link.into() }
    }
}

/// Objects of three classes, and `watchers` objects that link to them.
fn depot(counts: [usize; 3], watchers: usize) -> (Depot, Vec<Target>) {
    let mut depot = Depot::new();
    let mut targets: Vec<Target> = Vec::new();
    // Classes grow alternately, so that each has several ranges of numbers.
    for part in 0..4 {
        let of = |count: usize| count * part / 4..count * (part + 1) / 4;
        let lorries = depot.lorries.extend(of(counts[0]).map(|n| Lorry { km: mixed(n) as u32 })).unwrap();
        targets.extend(lorries.map(Target::from));
        let walkers = depot.walkers.extend(of(counts[1]).map(|n| Walker { steps: mixed(n + 7) as u32 })).unwrap();
        targets.extend(walkers.map(Target::from));
        let trams = depot.trams.extend(of(counts[2]).map(|n| Tram { stops: mixed(n + 9) as u32 })).unwrap();
        targets.extend(trams.map(Target::from));
    }
    let target = |n: usize| targets[mixed(n) % targets.len()];
    let rows = (0..watchers).map(|n| {
        let (one, other) = (target(n), (n % 3 > 0).then(|| target(n + 1_000_000)));
        let all: Vec<Target> = (0..n % 4).map(|k| target(5 * n + k)).collect();
        Watcher {
            bits: one.bits,
            range: one.range,
            tag: one.tag,
            table: one.table,
            other_bits: other.map(|other| other.bits),
            other_range: other.map(|other| other.range),
            other_tag: other.map(|other| other.tag),
            other_table: other.map(|other| other.table),
            all_bits: all.iter().map(|one| one.bits).collect(),
            all_ranges: all.iter().map(|one| one.range).collect(),
            all_tags: all.iter().map(|one| one.tag).collect(),
            all_tables: all.iter().map(|one| one.table).collect(),
            seen: [0; 4],
        }
    });
    depot.watchers.extend(rows.collect::<Vec<_>>()).unwrap();
    (depot, targets)
}

/// Kernels of all traits for all objects, for mixed lists, and for the watchers.
fn run(depot: &mut Depot, targets: &[Target], place: Place) {
    let some = || (0..targets.len()).rev().filter(|n| n % 3 != 1).map(|n| targets[n]);
    let one = targets[targets.len() / 2];
    let mut on = depot.on(place);
    on.execute(ByBits::move_by_bits, 1).unwrap();
    on.execute(InRanges::move_in_ranges, 20).unwrap();
    on.execute(ByTag::move_by_tag, 300).unwrap();
    on.execute(ByTable::move_by_table, 4000).unwrap();
    on.execute(Watcher::watch, 3).unwrap();
    on.over(&some().map(|to| to.bits).collect::<Vec<_>>()).execute(ByBits::move_by_bits, 5).unwrap();
    on.over(&some().map(|to| to.range).collect::<Vec<_>>()).execute(InRanges::move_in_ranges, 60).unwrap();
    on.over(&some().map(|to| to.tag).collect::<Vec<_>>()).execute(ByTag::move_by_tag, 700).unwrap();
    on.over(&some().map(|to| to.table).collect::<Vec<_>>()).execute(ByTable::move_by_table, 8000).unwrap();
    on.execute(Watcher::watch_one, (one.bits, one.range, one.tag, one.table)).unwrap();
}

fn check(place: Place) {
    for (counts, watchers) in [([1, 1, 1], 40), ([700, 33, 5], 1000), ([3000, 20_000, 900], 10_000)] {
        let (mut expected, targets) = depot(counts, watchers);
        let mut found = expected.clone();
        run(&mut expected, &targets, Place::Host);
        for watcher in &expected.watchers {
            assert!(watcher.seen.iter().all(|&seen| seen == watcher.seen[0]), "{watcher:?}");
        }
        run(&mut found, &targets, place);
        assert!(found.lorries.iter().eq(expected.lorries.iter()), "{counts:?}");
        assert!(found.walkers.iter().eq(expected.walkers.iter()), "{counts:?}");
        assert!(found.trams.iter().eq(expected.trams.iter()), "{counts:?}");
        assert!(found.watchers.iter().eq(expected.watchers.iter()), "{counts:?}");
    }
}

#[test]
fn the_strategies_agree_on_the_host() {
    check(Place::Host);
}

#[test]
fn the_strategies_agree_on_the_device() {
    if has_gpu() {
        check(Place::Gpu(0));
    }
}

/// Among sixteen classes, each call runs the right class's method.
#[test]
fn many_classes_agree() {
    use ikra_device_tests::model::many::{Hook, Store, hook};
    let places = if has_gpu() { vec![Place::Host, Place::Gpu(0)] } else { vec![Place::Host] };
    for place in places {
        let mut store = Store::full();
        store.on(place).execute(Hook::lift, ()).unwrap();
        let primes = [1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47];
        assert_eq!(store.hooks.column(hook::load), primes.map(|prime| 3 * prime), "{place}");
    }
}
