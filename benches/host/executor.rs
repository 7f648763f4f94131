//! What calling an executor costs by itself.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ikra::World;
use ikra_benches::force::{Body, world};
use ikra_benches::timing::{criterion, time};

fn overhead(c: &mut Criterion) {
    let mut group = c.benchmark_group("executor overhead, empty kernel");
    for threads in [1, 2] {
        for n in [1, 1_000, 4_096, 16_384] {
            let mut sim = world(n);
            group.bench_function(BenchmarkId::new(format!("{threads} threads"), n), |b| {
                time(b, threads, || black_box(&mut sim).execute(Body::idle, ()));
            });
        }
    }
    group.finish();
}

fn get(c: &mut Criterion) {
    let sim = world(1_000);
    let link = sim.bodies.links().next().expect("there are bodies");
    let mut group = c.benchmark_group("sequential access");
    group.bench_function(BenchmarkId::new("get", 1), |b| b.iter(|| black_box(&sim).get(black_box(link)).mass()));
    group.finish();
}

fn all(c: &mut Criterion) {
    overhead(c);
    get(c);
}

criterion_group! { name = benches; config = criterion(); targets = all }
criterion_main!(benches);
