//! Neighbours by a grid: a step of 100,000 boids, each of which sees 30 others.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ikra_benches::neighbours::{Plain, boid, grid, size, sky, step};
use ikra_benches::timing::{criterion, time};

const SIZE: usize = 100_000;

fn all(c: &mut Criterion) {
    for threads in [1, 2] {
        let mut group = c.benchmark_group(format!("boids with 30 neighbours, {threads} threads"));
        group.throughput(Throughput::Elements(SIZE as u64));
        let (mut plain, mut sky) = (Plain::new(SIZE), sky(SIZE));
        let (grid, size) = (grid(SIZE), size(SIZE));
        for _ in 0..3 {
            plain.step();
            step(&mut sky, grid, size);
        }
        let differing = sky.boids.column(boid::pos).iter().zip(&plain.pos).filter(|(a, b)| a != b).count();
        assert!(differing < SIZE / 100, "both compute the same, but for the order of a sum: {differing}");
        group.bench_function(BenchmarkId::new("hand SoA", SIZE), |bencher| {
            time(bencher, threads, || if threads == 1 { plain.step() } else { plain.step_on_threads() });
        });
        group.bench_function(BenchmarkId::new("Ikra", SIZE), |bencher| {
            time(bencher, threads, || step(&mut sky, grid, size));
        });
        group.finish();
    }
}

criterion_group! { name = benches; config = criterion(); targets = all }
criterion_main!(benches);
