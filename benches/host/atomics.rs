//! Updates of atomic fields: one thread takes no atomic instructions for them.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ikra::World as _;
use ikra_benches::atomics::{
    Sample, bar, components, edges, hand_components, hand_components_on_threads, hand_count, samples, vertex, world,
};
use ikra_benches::timing::{criterion, time};

const SIZES: [usize; 2] = [32_768, 1_048_576];

fn find_components(c: &mut Criterion) {
    for threads in [1, 2] {
        let mut group = c.benchmark_group(format!("connected components, {threads} threads"));
        for n in SIZES {
            group.throughput(Throughput::Elements(n as u64));
            let (a, b) = edges(n);
            let mut labels = vec![0; n.div_ceil(2)];
            hand_components(&mut labels, &a, &b);
            let mut sim = world(n);
            components(&mut sim);
            assert_eq!(sim.vertices.column_mut(vertex::label), labels, "Ikra finds the same components");
            if threads == 1 {
                group.bench_function(BenchmarkId::new("hand SoA", n), |bencher| {
                    time(bencher, threads, || hand_components(&mut labels, &a, &b));
                });
            } else {
                let atomics: Vec<_> = labels.iter().map(|_| AtomicU32::new(0)).collect();
                hand_components_on_threads(&atomics, &a, &b);
                assert!(atomics.iter().map(|label| label.load(Relaxed)).eq(labels), "and so do threads");
                group.bench_function(BenchmarkId::new("hand SoA", n), |bencher| {
                    time(bencher, threads, || hand_components_on_threads(&atomics, &a, &b));
                });
            }
            group
                .bench_function(BenchmarkId::new("Ikra", n), |bencher| time(bencher, threads, || components(&mut sim)));
        }
        group.finish();
    }
}

fn count(c: &mut Criterion) {
    let mut group = c.benchmark_group("histogram, 1 thread");
    for n in SIZES {
        group.throughput(Throughput::Elements(n as u64));
        let (bars, weights) = samples(n);
        let (mut counts, mut sums) = (vec![0; n.div_ceil(16)], vec![0; n.div_ceil(16)]);
        hand_count(&mut counts, &mut sums, &bars, &weights);
        let mut sim = world(n);
        sim.execute(Sample::count, ());
        assert_eq!(sim.bars.column_mut(bar::count), counts, "Ikra counts the same");
        assert_eq!(sim.bars.column_mut(bar::weight), sums, "Ikra sums up the same");
        group.bench_function(BenchmarkId::new("hand SoA", n), |bencher| {
            time(bencher, 1, || hand_count(&mut counts, &mut sums, &bars, &weights));
        });
        group
            .bench_function(BenchmarkId::new("Ikra", n), |bencher| time(bencher, 1, || sim.execute(Sample::count, ())));
    }
    group.finish();
}

fn all(c: &mut Criterion) {
    find_components(c);
    count(c);
}

criterion_group! { name = benches; config = criterion(); targets = all }
criterion_main!(benches);
