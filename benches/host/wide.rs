//! Wide classes on one thread, at powers of two too.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ikra::World;
use ikra_benches::timing::{criterion, time};
use ikra_benches::wide::{Hand, fixed, hand_add_6, hand_add_10, soa, tiles};

fn wide(c: &mut Criterion) {
    macro_rules! class {
        ($group:literal, $columns:literal, $hand:ident, $world:ident, $class:ident, $add:ident) => {
            let mut group = c.benchmark_group($group);
            for n in [1_000, 65_536, 1_000_000, 1_048_576] {
                group.throughput(Throughput::Elements(n as u64));
                let id = |name| BenchmarkId::new(name, n);
                for (name, staggered) in [("hand", false), ("hand, staggered", true)] {
                    let mut hand = Hand::<$columns>::new(n, staggered);
                    group.bench_function(id(name), |b| {
                        time(b, 1, || {
                            let (a, b) = hand.split();
                            $hand(a, b);
                        });
                    });
                }
                macro_rules! ikra {
                    ($name:literal, $module:ident) => {
                        let mut world = $module::$world(n);
                        group.bench_function(id($name), |b| time(b, 1, || world.execute($module::$class::$add, ())));
                        drop(world);
                    };
                }
                ikra!("Ikra soa", soa);
                ikra!("Ikra tiles", tiles);
                ikra!("Ikra capacity", fixed);
            }
            group.finish();
        };
    }
    class!("10 + 10 columns", 10, hand_add_10, twenty, Twenty, add_ten);
    class!("12 of 24 columns", 6, hand_add_6, twenty_four, TwentyFour, add_six);
}

fn all(c: &mut Criterion) {
    wide(c);
}

criterion_group! { name = benches; config = criterion(); targets = all }
criterion_main!(benches);
