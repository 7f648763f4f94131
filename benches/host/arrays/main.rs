//! Inner arrays in each layout beside loops written by hand (INNER §5.1), and breadth-first search on a road
//! network (§5.2), on the host.

#[path = "../../gpu/src/bfs.rs"]
mod bfs;
mod hand;
#[path = "../../gpu/src/inner_array.rs"]
mod inner_array;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hand::{AosFull, AosPartial, Hand, SoaFull, SoaObject, SoaPartial};
use ikra::prelude::*;
use ikra_benches::timing::{criterion, time};
use inner_array::OBJECTS;

/// Times the loops written by hand, after a look at what they do.
fn by_hand<H: Hand + Send>(group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>, layout: &str) {
    let mut hand = H::new();
    hand.add();
    hand.add_split();
    let expected = inner_array::element(5, 31) + 2 * inner_array::data(5);
    assert_eq!(hand.get(5, 31), expected);
    group.bench_function(BenchmarkId::new("hand", layout), |b| time(b, 1, || hand.add()));
    group.bench_function(BenchmarkId::new("hand, split", layout), |b| time(b, 1, || hand.add_split()));
}

fn inner(c: &mut Criterion) {
    let mut group = c.benchmark_group("inner arrays");
    group.throughput(Throughput::Elements(u64::from(OBJECTS)));
    macro_rules! one {
        ($class:ident, $module:ident, $rows:ident, $group:literal, $slots:literal) => {{
            use inner_array::$module::{Things, $class};
            let mut world = Things::new();
            world.things.extend((0..OBJECTS).map(inner_array::$rows!($class))).expect("there is memory");
            let layout = concat!($group, " ", $slots);
            group.bench_function(BenchmarkId::new("Ikra", layout), |b| time(b, 1, || world.execute($class::add, ())));
            group.bench_function(BenchmarkId::new("Ikra, for_each", layout), |b| {
                time(b, 1, || world.execute($class::add_each, ()))
            });
        }};
    }
    inner_array::for_each_layout!(one);
    by_hand::<SoaFull>(&mut group, "SoA (full) ");
    by_hand::<SoaObject>(&mut group, "SoA (object) ");
    by_hand::<AosFull>(&mut group, "AoS (full) ");
    macro_rules! partial {
        ($($k:literal)*) => { $(
            by_hand::<SoaPartial<$k>>(&mut group, concat!("SoA (partial) ", $k));
            by_hand::<AosPartial<$k>>(&mut group, concat!("AoS (partial) ", $k));
        )* };
    }
    partial!(0 8 16 32 48 64);
    group.finish();
}

fn search(c: &mut Criterion) {
    let graph = ::graph::roads::generate(::graph::roads::VERTICES, 1);
    let mut group = c.benchmark_group("bfs, road network, 2 threads");
    group.sample_size(10);
    macro_rules! one {
        ($class:ident, $world:ident, $rows:ident, $group:literal, $slots:literal) => {{
            let mut sim = bfs::$world::new();
            let make = {
                use bfs::$class;
                bfs::$rows!($class)
            };
            let rows = (0..graph.vertices()).map(|v| make(graph.neighbours(v)));
            sim.vertices.extend(rows).expect("there is memory");
            let source: Link<bfs::$class> = sim.vertices.links().next().expect("a vertex");
            group.bench_function(BenchmarkId::new("Ikra", concat!($group, " ", $slots)), |b| {
                time(b, 2, || {
                    sim.execute(bfs::$class::reset, source);
                    for level in 0.. {
                        if !sim.execute_and_reduce(bfs::$class::push, level, Any) {
                            break;
                        }
                    }
                });
            });
        }};
    }
    bfs::for_each_bfs!(one);
    group.finish();
}

fn all(c: &mut Criterion) {
    inner(c);
    search(c);
}

criterion_group! { name = benches; config = criterion(); targets = all }
criterion_main!(benches);
