//! A method of objects of four classes on one thread: over all objects, and over a slice that mixes them, in the order in
//! which they were made and in none.
//!
//! The slice is one of links, of boxes, or of positions in a `Vec<Enum>`: objects stay where they are, whatever the order.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ikra::{LinkList, World};
use ikra_benches::dispatch::plain::Thing as _;
use ikra_benches::dispatch::{order, plain, soa};
use ikra_benches::timing::{criterion, time};

const SIZES: [usize; 3] = [10_000, 1_000_000, 4_000_000];

fn all_objects(c: &mut Criterion) {
    let mut group = c.benchmark_group("dispatch, all objects");
    for n in SIZES {
        group.throughput(Throughput::Elements(n as u64));
        let id = |name| BenchmarkId::new(name, n);
        let (mut things, _) = soa::world(n);
        group.bench_function(id("Ikra"), |b| time(b, 1, || things.execute(soa::Thing::tick, ())));
        drop(things);
        let mut boxes: Vec<_> = (0..n).map(plain::boxed).collect();
        group.bench_function(id("Vec<Box<dyn>>"), |b| time(b, 1, || boxes.iter_mut().for_each(|thing| thing.tick())));
        let mut values: Vec<_> = (0..n).map(plain::matched).collect();
        group.bench_function(id("Vec<Enum>"), |b| time(b, 1, || values.iter_mut().for_each(plain::Matched::tick)));
        let mut values: Vec<_> = (0..n).map(plain::dispatched).collect();
        group.bench_function(id("enum_dispatch"), |b| time(b, 1, || values.iter_mut().for_each(|thing| thing.tick())));
    }
    group.finish();
}

fn mixed_slice(c: &mut Criterion) {
    for (name, shuffled, part) in [("mixed slice", false, 1), ("shuffled slice", true, 1), ("shuffled half", true, 2)] {
        let mut group = c.benchmark_group(format!("dispatch, {name}"));
        for n in SIZES {
            let id = |name| BenchmarkId::new(name, n);
            let mut order = order(n, shuffled);
            order.truncate(n / part);
            group.throughput(Throughput::Elements(order.len() as u64));
            {
                let (mut things, links) = soa::world(n);
                let mut links: Vec<_> = order.iter().map(|&i| links[i]).collect();
                let list = LinkList::new(&links).expect("each once");
                group.bench_function(id("Ikra, a list made once"), |b| {
                    time(b, 1, || things.over(&list).execute(soa::Thing::tick, ()));
                });
                group.bench_function(id("Ikra, the same slice"), |b| {
                    time(b, 1, || things.over(&links).execute(soa::Thing::tick, ()));
                });
                group.bench_function(id("Ikra, another slice each time"), |b| {
                    time(b, 1, || {
                        links.swap(0, 1);
                        things.over(&links).execute(soa::Thing::tick, ());
                    });
                });
            }
            {
                let mut made: Vec<_> = (0..n).map(|i| Some(plain::boxed(i))).collect();
                let mut boxes: Vec<_> = order.iter().map(|&i| made[i].take().expect("once")).collect();
                group.bench_function(id("Vec<Box<dyn>>"), |b| {
                    time(b, 1, || boxes.iter_mut().for_each(|thing| thing.tick()));
                });
            }
            {
                let mut values: Vec<_> = (0..n).map(plain::matched).collect();
                group.bench_function(id("Vec<Enum>"), |b| {
                    time(b, 1, || order.iter().for_each(|&i| values[i].tick()));
                });
            }
            {
                let mut values: Vec<_> = (0..n).map(plain::dispatched).collect();
                group.bench_function(id("enum_dispatch"), |b| {
                    time(b, 1, || order.iter().for_each(|&i| values[i].tick()));
                });
            }
        }
        group.finish();
    }
}

/// All of them do the same.
fn check() {
    let n = 1_000;
    let (mut things, links) = soa::world(n);
    things.over(&links).execute(soa::Thing::tick, ());
    things.execute(soa::Thing::tick, ());
    for (i, link) in links.into_iter().enumerate() {
        let value = match link.class() {
            soa::ThingIs::First(link) => things.get(link).value(),
            soa::ThingIs::Second(link) => things.get(link).value(),
            soa::ThingIs::Third(link) => things.get(link).value(),
            soa::ThingIs::Fourth(link) => things.get(link).value(),
        };
        let (mut boxed, mut dispatched) = (plain::boxed(i), plain::dispatched(i));
        for _ in 0..2 {
            boxed.tick();
            dispatched.tick();
        }
        assert_eq!([value, value], [boxed.value(), dispatched.value()], "object {i}");
    }
}

fn all(c: &mut Criterion) {
    check();
    all_objects(c);
    mixed_slice(c);
}

criterion_group! { name = benches; config = criterion(); targets = all }
criterion_main!(benches);
