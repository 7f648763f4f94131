//! The all-pairs force: one thread, two threads, and instruction sets.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ikra::World;
use ikra_benches::force::{Body, aos_attract, hand_attract, hand_attract_lanes, rows, world};
use ikra_benches::timing::{criterion, time, with_threads};

fn one_thread(c: &mut Criterion) {
    let mut group = c.benchmark_group("all-pairs force");
    for n in [1_000, 8_192, 10_000] {
        group.throughput(Throughput::Elements((n * n) as u64));
        let id = |name| BenchmarkId::new(name, n);
        let mut bodies = rows(n);
        group.bench_function(id("hand AoS"), |b| time(b, 1, || aos_attract(&mut bodies)));
        let pos: Vec<_> = bodies.iter().map(|body| body.pos).collect();
        let mass: Vec<_> = bodies.iter().map(|body| body.mass).collect();
        let mut force = vec![[0.0; 3]; n];
        group.bench_function(id("hand SoA"), |b| time(b, 1, || hand_attract(&pos, &mass, &mut force)));
        if n % 16 == 0 {
            group.bench_function(id("hand SoA, lanes"), |b| time(b, 1, || hand_attract_lanes(&pos, &mass, &mut force)));
        }
        let mut sim = world(n);
        group.bench_function(id("Ikra all()"), |b| time(b, 1, || sim.execute(Body::attract_all, ())));
        group.bench_function(id("Ikra pairs"), |b| time(b, 1, || sim.execute_pairs(Body::attract, ())));
    }
    group.finish();
}

fn two_threads(c: &mut Criterion) {
    let mut group = c.benchmark_group("all-pairs force, threads");
    let n = 8_192;
    group.throughput(Throughput::Elements((n * n) as u64));
    for threads in [1, 2] {
        let mut sim = world(n);
        group.bench_function(BenchmarkId::new("Ikra pairs", threads), |b| {
            time(b, threads, || sim.execute_pairs(Body::attract, ()));
        });
    }
    group.finish();
}

/// The results are those of the double loop, bit for bit.
fn check() {
    let n = 8_192;
    let mut bodies = rows(n);
    aos_attract(&mut bodies);
    for threads in [1, 2] {
        let mut sim = world(n);
        with_threads(threads, || sim.execute_pairs(Body::attract, ()));
        let forces = sim.bodies.column(ikra_benches::force::body::force);
        let same =
            forces.iter().zip(&bodies).all(|(force, body)| force.map(f32::to_bits) == body.force.map(f32::to_bits));
        assert!(same, "the pairs executor gives other bits than the double loop");
    }
}

fn all(c: &mut Criterion) {
    check();
    one_thread(c);
    two_threads(c);
}

criterion_group! { name = benches; config = criterion(); targets = all }
criterion_main!(benches);
